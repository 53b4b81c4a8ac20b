import { describe, expect, it } from 'vitest';

import { chartsOf } from '../../src/orchestrator/charts.js';
import type { Settings } from '../../src/model/settings.js';
import { explore } from '../../src/proof/prove/explore.js';
import { METRICS } from '../../src/proof/prove/metrics.js';
import { prove, proveCharts } from '../../src/proof/prove/prove.js';
import type { Proof } from '../../src/proof/prove/prove.types.js';
import { replayOnCharts, replayWitness } from '../../src/proof/prove/witness/replay-witness.js';
import { settingsOf } from '../../src/proof/prove/settings.js';
import { wholeRun } from '../../src/proof/prove/whole-run.js';
import { small, TEAM as PARTS } from './configurations.js';
import { differentFutures } from './same-future.js';

const TEAM = { ...PARTS, method: 'wholeRun' } as const;

const valuesOf = ({ maxima }: Proof) =>
  Object.fromEntries(METRICS.map((metric) => [metric, maxima?.[metric].value]));

describe('a whole run, explored to the end', () => {
  it('comes to what the price tag says, call for call', () => {
    const proof = prove(small({ limits: { maxReplans: 1 } }), TEAM);
    expect(proof.counterexample).toBeNull();
    expect(valuesOf(proof)).toEqual({
      plannerCalls: 2,
      agentCalls: 4,
      replans: 1,
      steps: 2,
      depth: 0,
      approvals: 2,
      wallTimeMs: 3_605_000,
    });
    expect(valuesOf(proof)).toEqual(proof.bounds);
  });

  it('has a witness for every maximum that replays to just that', () => {
    const policy = small({ limits: { maxReplans: 1 }, approval: { maxQuestions: 1, plan: true } });
    const { maxima } = prove(policy, TEAM);
    for (const metric of METRICS) {
      const { value, witness } = maxima![metric];
      const replayed = replayWitness(policy, TEAM, witness);
      expect([metric, replayed.cost[metric]]).toEqual([metric, value]);
      expect(replayed).toMatchObject({ isFollowed: true, violations: [] });
    }
  });

  it('asks no planner where there is none, even when the check of a given plan does not end', () => {
    const proof = prove(small(), { ...TEAM, planner: false });
    expect(proof.counterexample).toBeNull();
    expect(proof.maxima?.plannerCalls.value).toBe(0);
  });

  it('counts the time that the run takes; that of a sub-plan is part of it', () => {
    const settings = settingsOf(small({ limits: { maxDepth: 1 } }), TEAM);
    const { graph } = explore(wholeRun(chartsOf(settings), settings, 1, 'all'));
    const edges = Array.from({ length: graph.edgeCount }, (_, index) => graph.edge(index));
    const timed = edges.filter(({ cost }) => cost.wallTimeMs > 0).map(({ label }) => label);
    expect(new Set(timed)).toEqual(
      new Set([
        'the run: executionDeadline elapses',
        'the run: timeLimit elapses',
        'the run: gracePeriod elapses',
      ]),
    );
  });

  it('takes states for the same only when they have the same future', () => {
    const policy = small({
      limits: { maxReplans: 1, maxSteps: 2, maxParallel: 2 },
      retry: { attempts: 2 },
    });
    const settings = settingsOf(policy, TEAM);
    const { compared, differences } = differentFutures(
      wholeRun(chartsOf(settings), settings, 1, 'all'),
      2,
    );
    expect(differences).toEqual([]);
    expect(compared).toBeGreaterThan(200);
  });
});

describe('a proof that can fail', () => {
  const withGuard =
    (name: string, guard: (...args: never[]) => boolean) => (settings: Settings) => {
      const charts = chartsOf(settings);
      const orchestrator = charts['orchestrator']!.provide({
        guards: { [name]: guard } as never,
      });
      return { ...charts, orchestrator };
    };

  it('finds the replan too many, by a shortest way that replays', () => {
    const charts = withGuard('canReplan', () => true);
    const { counterexample } = proveCharts(charts, small(), TEAM);
    expect(counterexample).toMatchObject({
      rule: 'bound',
      message: 'The run has 1 replan, the policy allows 0',
    });
    expect(counterexample?.witness.sentences).toEqual([
      'The run starts with a goal',
      'planner: planner makes no valid plan',
    ]);
    const { witness } = counterexample!;
    expect(replayOnCharts(charts, small(), TEAM, witness).violations).toHaveLength(1);
    expect(replayWitness(small(), TEAM, witness).violations).toEqual([]);
  });

  it.each(['wholeRun', 'compositional'] as const)(
    'finds the run that goes on though it has died too often: %s',
    (method) => {
      const charts = withGuard('areRecoveriesUsedUp', () => false);
      const options = { ...TEAM, method };
      const { counterexample } = proveCharts(charts, small(), options);
      expect(counterexample).toMatchObject({ rule: 'bound' });
      expect(counterexample?.witness.sentences).toEqual([
        'The run starts with a goal',
        'The run has died with too many processes',
      ]);
      const { witness } = counterexample!;
      expect(replayOnCharts(charts, small(), options, witness).violations).toHaveLength(1);
      expect(replayWitness(small(), options, witness).violations).toEqual([]);
    },
  );

  it.each(['wholeRun', 'compositional'] as const)(
    'finds the run that goes on after a no, by the very move that breaks the rule: %s',
    (method) => {
      const charts = withGuard('endsAtOnce', () => false);
      const policy = small({
        approval: { onReject: 'fail' },
        limits: { maxSteps: 2, maxParallel: 2 },
      });
      const options = { ...TEAM, method };
      expect(prove(policy, PARTS).counterexample).toBeNull();
      const { counterexample } = proveCharts(charts, policy, options);
      expect(counterexample?.rule).toBe('rejection');
      const { witness } = counterexample!;
      expect(replayOnCharts(charts, policy, options, witness)).toMatchObject({
        isFollowed: true,
        violations: [{ rule: 'rejection' }],
      });
      expect(replayWitness(policy, options, witness).violations).toEqual([]);
    },
  );
});

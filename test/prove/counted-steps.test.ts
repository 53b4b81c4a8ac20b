import { describe, expect, it } from 'vitest';

import { presets } from '../../src/policy/presets.js';
import type { Policy, PolicyOverrides } from '../../src/model/policy.js';
import type { Analysis } from '../../src/proof/prove/analysis.js';
import { analyse } from '../../src/proof/prove/analysis.js';
import { standInsFor } from '../../src/proof/prove/compositional/counted-steps.js';
import { costOf, frameAfter, textAfter } from '../../src/proof/prove/explore.js';
import type { Exploration } from '../../src/proof/prove/explore.js';
import { Graph } from '../../src/proof/prove/graph.js';
import type { Weights } from '../../src/proof/prove/metrics.js';
import { METRICS, NOTHING } from '../../src/proof/prove/metrics.js';
import type { Frame, Move, System } from '../../src/proof/prove/model.types.js';
import { countedRunText } from '../../src/proof/prove/projection/run-text.js';
import { folded } from '../../src/proof/prove/projection/step-count.js';
import { prove } from '../../src/proof/prove/prove.js';
import type { ProveOptions } from '../../src/proof/prove/prove.types.js';
import { unfold } from '../../src/proof/prove/unfold.js';
import { replayWitness } from '../../src/proof/prove/witness/replay-witness.js';
import { rootPlanOf } from '../../src/proof/prove/root-plan.js';
import { small, TEAM } from './configurations.js';
import { framesOf, planOf } from './plan-of.js';
import { differentFutures } from './same-future.js';

/*
 * Where plans are appended and steps run one at a time, states with two or more waiting steps are merged, and the
 * number of tolerated failures is left open. Here every such run is also explored state by state, with all numbers.
 */

const POLICIES: readonly [string, PolicyOverrides][] = [
  [
    'plans in front of what waits, failures that are gone past',
    { replan: { merge: 'appendNext' }, failure: { onStepFailure: 'continue' } },
  ],
  ['plans behind what waits, failures that ask for another plan', { replan: { merge: 'append' } }],
  [
    'people at the limit, a goal that is judged, two failures borne',
    {
      limits: { maxFailures: 2 },
      replan: { merge: 'append', onLimit: 'askHuman' },
      gates: { goal: 50 },
      approval: { onReject: 'skip' },
    },
  ],
  [
    'a failure that ends the run, and a no that does not',
    {
      replan: { merge: 'appendNext' },
      failure: { onStepFailure: 'stop' },
      approval: { onReject: 'replan' },
    },
  ],
  [
    'no failure borne, plans that people read',
    {
      limits: { maxFailures: 0 },
      replan: { merge: 'appendNext', onLimit: 'finish' },
      approval: { plan: true, onReject: 'fail' },
    },
  ],
];

const withReplans = (policy: PolicyOverrides, maxReplans: number): PolicyOverrides => ({
  ...policy,
  limits: { maxSteps: 2, ...policy.limits, maxReplans },
});

/** A state with all numbers that proofs leave out. */
const numberedText = (frame: Frame): string => {
  const { steps, counts } = rootPlanOf(frame).progress;
  return `${counts.failedSincePlan} of ${steps.length}: ${countedRunText(frame)}`;
};

/** The content of a graph: its edges and their costs. */
const edgesIn = ({ graph }: Exploration): Set<string> => {
  const edges = new Set<string>();
  for (let index = 0; index < graph.edgeCount; index += 1) {
    const { from, to, kind, cost } = graph.edge(index);
    edges.add(edgeText(graph.textOf(from), graph.textOf(to), kind, cost));
  }
  return edges;
};

const edgeText = (from: string, to: string, kind: string, cost: Weights): string =>
  [from, kind, METRICS.map((metric) => cost[metric]).join(), to].join(' | ');

/** A command that changes nothing has no edge. */
const isSilent = ({ kind, input }: Move): boolean => input.kind === 'commanded' || kind === 'inner';

const maximaOf = ({ paths, exploration }: Analysis): unknown =>
  METRICS.map((metric) => [metric, paths.most(metric, [...exploration.outputs.keys()])?.value]);

/** A skip to a step equals several skips, one after the other: reductions.test.ts compares them. */
const isCompared = ({ label }: Move): boolean => !label.startsWith('A person skips to');

const missingEdges = (told: System, counted: Analysis): { seen: number; missing: string[] } => {
  const edges = edgesIn(counted.exploration);
  const missing: string[] = [];
  let seen = 0;
  for (const frame of framesOf(told, numberedText)) {
    const from = countedRunText(frame);
    for (const move of told.moves(frame).filter(isCompared)) {
      const step = told.kernel.step(frame.state, move.input);
      const to = textAfter({ ...told, textOf: countedRunText }, step, frameAfter(frame, step));
      if (from === to && isSilent(move)) continue;
      const edge = edgeText(from, to, move.kind, costOf(told, frame, move, step));
      seen += 1;
      if (!edges.has(edge)) missing.push(`${move.label}\n  ${edge}`);
    }
  }
  return { seen, missing };
};

/** Every maximum equals bounds(), and the cost of the path to it. */
const expectWays = (policy: Policy, options: ProveOptions): void => {
  const { maxima } = prove(policy, options);
  for (const metric of METRICS) {
    const { value, bound, witness } = maxima![metric];
    const replayed = replayWitness(policy, options, witness);
    expect(replayed).toMatchObject({ isFollowed: true, violations: [], isCostlyCircle: false });
    expect([metric, replayed.cost[metric], bound]).toEqual([metric, value, value]);
  }
};

describe.each(POLICIES)('counted steps: %s', (_, policy) => {
  const overrides = withReplans(policy, 3);
  const told = planOf(overrides, () => ({ areStepsCounted: false }));
  const counted = analyse(planOf(overrides));

  it('have exactly the states and transitions of steps explored one by one', () => {
    expect(counted.system.standInsFor).toBeDefined();
    const { seen, missing } = missingEdges(told, counted);
    expect(missing.slice(0, 3)).toEqual([]);
    expect(seen).toBeGreaterThan(3_000);
  });

  it('are explored in states that look like those they represent', () => {
    for (const frame of framesOf(told, numberedText)) {
      const looks = standInsFor(frame).map((standIn) => folded(countedRunText(standIn)));
      expect(new Set(looks)).toEqual(new Set([folded(countedRunText(frame))]));
    }
  });

  it('cost as much', () => {
    const one = analyse(told);
    expect([one.refutation, counted.refutation]).toEqual([undefined, undefined]);
    expect(maximaOf(counted)).toEqual(maximaOf(one));
  });

  it('have a path to each maximum that can be replayed', () => {
    expectWays(small(overrides), TEAM);
  });

  it('are distinguished by everything that guards read where they are not counted', () => {
    expect(differentFutures(told, 1).differences).toEqual([]);
  });
});

describe('the preset that appends plans', () => {
  it.each([
    [8, 3],
    [12, 2],
  ])(
    'has a path to each maximum that can be replayed: %i replans, plans of %i',
    (maxReplans, steps) => {
      expectWays(presets.collaborative({ limits: { maxReplans } }), { ...TEAM, planSteps: steps });
    },
  );
});

describe('a state graph with counted steps', () => {
  const answer = { kind: 'answer', label: 'Something happens' } as const;
  const step: Weights = { ...NOTHING, steps: 1 };

  /** Five steps wait, each takes its turn; optionally more are added from time to time. */
  const explorationWith = (isGrowing: boolean): Exploration => {
    const graph = new Graph();
    for (const text of ['start', 'busy ×2', 'busy ×1', 'busy ×0', 'end: done']) graph.add(text);
    graph.open(0);
    graph.connect(0, 1, answer, NOTHING, [-1, 5]);
    graph.open(1);
    graph.connect(1, 1, answer, step, [3, 2]);
    graph.connect(1, 2, answer, step, [2, 1]);
    if (isGrowing) graph.connect(1, 1, answer, NOTHING, [3, 4]);
    graph.open(2);
    graph.connect(2, 3, answer, step, [1, 0]);
    graph.open(3);
    graph.connect(3, 4, answer, step, [0, -1]);
    graph.close();
    return { graph, outputs: new Map([[4, 'output']]), refutation: undefined };
  };

  it('unfolds to one with a state for each number', () => {
    const { graph, outputs } = unfold(explorationWith(false));
    const texts = Array.from({ length: graph.size }, (_, node) => graph.textOf(node));
    const waiting = [5, 4, 3, 2, 1, 0].map((count) => `busy ×${count}`);
    expect(texts).toEqual(['start', ...waiting, 'end: done']);
    expect(graph.edgeCount).toBe(7);
    expect([...outputs]).toEqual([[7, 'output']]);
  });

  it('stays unchanged where something is refuted', () => {
    const violation = { rule: 'bound', message: 'Too much' } as const;
    const refuted = { ...explorationWith(false), refutation: { node: 2, edge: 2, violation } };
    expect(unfold(refuted)).toBe(refuted);
  });

  it('is refuted where the numbers are unbounded', () => {
    const { refutation } = unfold(explorationWith(true));
    expect(refutation?.violation.message).toBe(
      'The number of waiting steps has no bound: "Something happens" can happen again and again',
    );
  });
});

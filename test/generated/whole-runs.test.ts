import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { defineAgent } from '../../src/agents/agent.js';
import { internalsOf } from '../../src/orchestrator/internals.js';
import type { Orchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { createOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { presets } from '../../src/policy/presets.js';
import type { Policy, PolicyOverrides } from '../../src/model/policy.js';
import { Sightings } from '../../src/proof/paths/observe.js';
import { withSmallBounds } from '../../src/proof/paths/small-policy.js';
import { exploreWholeRun } from '../../src/proof/paths/whole-run.js';
import type { ChartName } from './chart-paths.js';
import { elementsOfChart, uncovered } from './chart-paths.js';
import { exploreWithGraph } from './graph.js';
import { replayRun, Stage } from './replay-run.js';

/* The whole tree of charts, with agents that follow a path. */

const agents = ['coder', 'writer'].map((name) =>
  defineAgent({ name, description: name, run: () => name, fallback: () => name }),
);

const orchestratorWith = (policy: Policy, isSupervised: boolean): Orchestrator =>
  createOrchestrator({
    agents,
    planner: () => ({ steps: [] }),
    summarizer: () => '',
    ...(isSupervised && {
      supervisor: () => ({ score: 100 }),
      tester: () => ({ passed: true }),
    }),
    policy,
  });

const small = (overrides: PolicyOverrides): Orchestrator =>
  orchestratorWith(presets.boundedReplan(overrides), false);

const runs: [string, Orchestrator, number][] = [
  ['collaborative', orchestratorWith(presets.collaborative(), false), 1],
  ['boundedReplan', orchestratorWith(presets.boundedReplan(), false), 2],
  ['dynamic', orchestratorWith(presets.dynamic(), false), 1],
  ['fixed', orchestratorWith(presets.fixed(), false), 1],
  ['planAndExecute', orchestratorWith(presets.planAndExecute(), false), 1],
  ['supervised', orchestratorWith(presets.supervised(), true), 2],
  [
    'breakers, budgets and approvals',
    small({
      breaker: { failures: 1, resetMs: 1_000 },
      limits: { maxAgentCalls: 4 },
      approval: { plan: true, agents: ['writer'] },
      failure: { onPlannerFailure: 'interrupt' },
    }),
    2,
  ],
  [
    'a limit that is put to a person',
    small({ limits: { maxReplans: 0 }, replan: { onLimit: 'askHuman' } }),
    2,
  ],
  ['a limit that finishes', small({ limits: { maxReplans: 0 }, replan: { onLimit: 'finish' } }), 1],
  ['a limit that fails', small({ limits: { maxReplans: 0 }, replan: { onLimit: 'fail' } }), 1],
  [
    'a no that ends the run, and silence that is a yes',
    small({ approval: { plan: true, agents: ['coder'], onReject: 'fail', onTimeout: 'approve' } }),
    1,
  ],
  ['a no that skips', small({ approval: { plan: true, agents: ['coder'], onReject: 'skip' } }), 1],
  ['a failure that stops', small({ failure: { onStepFailure: 'stop' } }), 1],
  [
    'a failure too many, and plans that replace everything',
    small({
      limits: { maxFailures: 0 },
      replan: { merge: 'replaceAll' },
      failure: { onStepFailure: 'continue' },
    }),
    2,
  ],
];

const PATIENCE_MS = 600_000;
const seen = new Sightings();

beforeAll(() => {
  // The development build of XState warns of messages to actors that have just ended.
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterAll(() => {
  vi.restoreAllMocks();
});

describe.each(runs)('the paths of a whole run: %s', (name, orchestrator, maxFaults) => {
  it(
    'are the same as a run and with plain createActor: facts, states, calls, timers and record',
    async () => {
      const policy = withSmallBounds(orchestrator.policy);
      const { options, settings } = internalsOf(orchestrator)!;
      const run = { settings: { ...settings, policy }, maxFaults };
      const { paths, sightings, edges } = exploreWholeRun(run, exploreWithGraph, 1_000_000);
      seen.add(sightings);
      const stage = new Stage(options, policy);
      for (const path of paths) expect(await replayRun(stage, path)).toEqual([]);
      const steps = paths.reduce((sum, path) => sum + path.steps.length, 0);
      process.stdout.write(
        `${name}: ${edges.length} edges, ${paths.length} paths, ${steps} steps\n`,
      );
    },
    PATIENCE_MS,
  );
});

const CHARTS = ['orchestrator', 'step', 'agentCall', 'approval', 'breaker'] satisfies ChartName[];

it('whole runs leave only the listed states and transitions to the paths of single charts', async () => {
  const left = CHARTS.flatMap((chart) => uncovered(chart, seen).transitions);
  const total = CHARTS.reduce((sum, chart) => sum + elementsOfChart(chart).transitions.length, 0);
  process.stdout.write(`whole runs take ${total - left.length} of ${total} transitions\n`);
  const file = join(import.meta.dirname, 'behaviour/only-on-their-own.txt');
  const lines = left.map((transition) => `${reasonOf(transition)} | ${transition}\n`);
  await expect(lines.sort().join('')).toMatchFileSnapshot(file);
});

/** Why no agent, person or clock can bring a run there with so few faults. */
const reasonOf = (transition: string): string => {
  if (transition.includes('xstate.error.actor')) return 'a chart or call would have to crash';
  if (transition.includes('run.recovered')) return 'no process dies in these runs';
  if (transition.includes('run.upgraded')) return 'no process is replaced in these runs';
  if (/voteDecision|isBallot/.test(transition)) return 'these plans ask for no votes';
  if (/skipTo|conversation|extend|Extension/.test(transition)) return 'this command is not given';
  if (/hasNoPlanner|isPlanGiven/.test(transition))
    return 'these runs have a planner and no plan of their own';
  return 'takes another policy or more faults at once';
};

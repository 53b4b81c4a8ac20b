import { createActor } from 'xstate';
import { z } from 'zod';

import type { Fact, RunReport } from '../../src/index.js';
import { createOrchestrator, defineAgent, presets, systemClock } from '../../src/index.js';

/*
 * What a front end or a worker would bundle: a supervised team with two faults. The supervisor rejects the first
 * plan, and the tester finds a failure in the first step.
 */

const text = z.string();

const coder = defineAgent({
  name: 'coder',
  description: 'Writes one function',
  output: text,
  run: async ({ step, feedback }) =>
    feedback.length === 0 ? `${step.id}, first draft` : `${step.id}, fixed`,
});

const orchestrator = createOrchestrator({
  agents: [coder],
  planner: ({ requests }) => ({
    analysis: requests.length === 0 ? 'All at once' : 'One function at a time',
    steps:
      requests.length === 0
        ? [{ id: 'everything', agent: 'coder', task: 'Write the parser and the printer' }]
        : [
            { id: 'parse', agent: 'coder', task: 'Write the parser' },
            { id: 'print', agent: 'coder', task: 'Write the printer', dependsOn: ['parse'] },
          ],
  }),
  supervisor: ({ subject, plan }) =>
    subject === 'plan' && plan?.steps.length === 1
      ? { score: 40, issues: ['Too coarse'], feedback: 'Two steps, please' }
      : { score: 90 },
  tester: ({ step, cycle }) =>
    step.id.startsWith('parse') && cycle === 0
      ? { passed: false, failures: ['Loses a bracket'], fixPlan: { steps: ['Keep the bracket'] } }
      : { passed: true },
  summarizer: async ({ results }) => results.map(({ output }) => text.parse(output)).join('; '),
  policy: presets.supervised(),
});

const goal = 'Read and write brackets';

/** The facts of a run in order, without their times: they are the same in every environment. */
export interface Story {
  readonly facts: readonly string[];
}

export interface KernelStory extends Story {
  readonly report: Pick<
    RunReport,
    'status' | 'reason' | 'summary' | 'successfulSteps' | 'allSucceeded' | 'replans'
  >;
  readonly fixCycles: number;
}

export interface ActorStory extends Story {
  readonly status: string;
  readonly reason: string;
}

/** By the kernel: `createOrchestrator` and `start`. */
export const runByKernel = async (): Promise<KernelStory> => {
  const facts: string[] = [];
  const run = orchestrator.start({ goal });
  run.subscribe((fact) => facts.push(inShort(fact)));
  const { status, reason, summary, successfulSteps, allSucceeded, replans, metrics } =
    await run.done;
  return {
    facts,
    report: { status, reason, summary, successfulSteps, allSucceeded, replans },
    fixCycles: metrics.fixCycles,
  };
};

/** By XState's own interpreter: plain `createActor`. */
export const runByXState = (): Promise<ActorStory> =>
  new Promise((resolve, reject) => {
    const facts: string[] = [];
    const actor = createActor(orchestrator.machine, { input: { goal }, clock: systemClock() });
    actor.on('*', (fact) => facts.push(inShort(fact)));
    actor.subscribe({
      complete: () => {
        const { output } = actor.getSnapshot();
        if (output === undefined) reject(new Error('The actor ended without output'));
        else resolve({ facts, status: output.status, reason: output.reason });
      },
      error: reject,
    });
    actor.start();
  });

const inShort = (fact: Pick<Fact, 'type'> & { readonly stepId?: string | null }): string =>
  [fact.type, fact.stepId ?? ''].join(' ').trimEnd();

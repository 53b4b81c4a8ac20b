import type { performCall } from '../../src/actors/perform-call.js';
import type { Callable } from '../../src/actors/team.types.js';
import { agentNamed } from './team.js';

/** The input of one call of one agent, without a run around it. */

export const teamOf = (run: () => unknown): Callable => ({
  agents: new Map([['worker', agentNamed('worker', run)]]),
  planner: undefined,
  supervisor: undefined,
  tester: undefined,
  summarizer: undefined,
  dispatcher: (agent, call) => agent.run(call),
  maxOutputBytes: 1_048_576,
  maxSteps: 15,
  maxVotes: 1,
  thresholds: { plan: null, code: null, step: null, goal: null },
});

export const workerInput = (agent: string): Parameters<typeof performCall>[1] => ({
  request: {
    role: 'worker',
    key: 'run/a/1/worker',
    agent,
    stepId: 'a',
    goal: 'The goal',
    depth: 0,
    mode: 'work',
    vote: null,
    step: { id: 'a', task: 'Do it', position: 'Step 1 of 1', attempt: 1 },
    dependencies: [],
    feedback: [],
    conversation: [],
    summary: '',
  },
  key: 'run/a/1/worker',
  isFallback: false,
});

export const surroundings = (): Parameters<typeof performCall>[2] => ({
  run: { runId: 'run', labels: {}, input: null },
  signal: new AbortController().signal,
  outputs: () => undefined,
});

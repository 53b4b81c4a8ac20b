import type { WorkerRequest } from '../../src/model/calls.js';
import type { AgentCallContext, AgentCallInput } from '../../src/machines/agent-call/chart.js';
import type { Configuration, Told } from './configuration.js';
import { triesOf, workerAnswers } from './outcomes.js';

const request: WorkerRequest = {
  role: 'worker',
  key: 'run/a/1/worker',
  agent: 'coder',
  stepId: 'a',
  goal: 'The goal',
  depth: 0,
  mode: 'work',
  vote: null,
  step: { id: 'a', task: 'Do a', position: 'Step 1 of 1', attempt: 1 },
  dependencies: [],
  feedback: [],
  conversation: [],
  summary: '',
};

const told: readonly Told[] = [
  { says: 'a permit is granted', event: { type: 'permit.granted' } },
  {
    says: 'the breaker refuses',
    event: { type: 'permit.refused', code: 'breaker-open' } as Told['event'],
  },
  {
    says: 'the budget refuses',
    event: { type: 'permit.refused', code: 'budget-exhausted' } as Told['event'],
  },
  { says: 'the run winds down', event: { type: 'run.windDown' } },
  { says: 'the run is paused', event: { type: 'run.hold' } },
  { says: 'the run is unpaused', event: { type: 'run.release' } },
];

const outcomes = triesOf(workerAnswers, ['threw', 'invalid-output', 'unknown-agent']);

const configuration = (
  name: string,
  changes: Partial<Omit<AgentCallInput, 'request'>>,
): Configuration => ({
  name,
  input: {
    request,
    retry: { attempts: 2, backoffMs: 10, maxBackoffMs: 100 },
    timeoutMs: 50,
    isWindingDown: false,
    pauseLimitMs: 1_000,
    needsPermit: false,
    hasFallback: false,
    gateScore: null,
    ...changes,
  } satisfies AgentCallInput,
  told: () => told,
  outcomes: () => outcomes,
  project: ({ context }) => {
    const { tries, isFallback, outcome, isWindingDown, isPaused } = context as AgentCallContext;
    const code = outcome?.kind === 'failed' ? outcome.code : outcome?.kind;
    return { tries, isFallback, code, isWindingDown, isPaused };
  },
});

export const agentCallConfigurations: readonly Configuration[] = [
  configuration('twice at most', {}),
  configuration('twice, then the fallback', { hasFallback: true }),
  configuration('with permits', { needsPermit: true }),
  configuration('with permits and a fallback', { needsPermit: true, hasFallback: true }),
  configuration('in a run that is ending', { isWindingDown: true, hasFallback: true }),
];

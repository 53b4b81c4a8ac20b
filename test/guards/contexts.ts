import type { CallResult } from '../../src/model/calls.js';
import type { AgentCallContext } from '../../src/machines/agent-call/chart.js';
import type { OrchestratorContext } from '../../src/machines/orchestrator/context.js';
import { initialContext } from '../../src/machines/orchestrator/updates.js';
import type { Settings, Team } from '../../src/model/settings.js';
import type { StepContext } from '../../src/machines/step/context.js';
import { initialStepContext } from '../../src/machines/step/updates.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { PolicyOverrides } from '../../src/model/policy.js';

/** The context that guards read, with defaults for everything a test leaves out. */

const everybody: Team = {
  agents: ['worker'],
  fallbacks: [],
  hasPlanner: true,
  hasSupervisor: true,
  hasTester: true,
  hasSummarizer: true,
};

export const settingsWith = (policy: PolicyOverrides = {}, team: Partial<Team> = {}): Settings => ({
  policy: definePolicy(policy),
  team: { ...everybody, ...team },
});

export const contextWith = (
  changes: Partial<OrchestratorContext> = {},
  settings: Settings = settingsWith(),
): OrchestratorContext => ({ ...initialContext(settings, { goal: 'The goal' }), ...changes });

export const stepContextWith = (
  changes: Partial<StepContext> = {},
  settings: Settings = settingsWith(),
): StepContext => ({
  ...initialStepContext({
    runId: 'run',
    stepId: 'a',
    agent: 'worker',
    task: 'Do the work',
    position: 'Step 1 of 1',
    goal: 'The goal',
    summary: '',
    depth: 0,
    dependencies: [],
    feedback: [],
    conversation: [],
    approvalQuestion: null,
    votes: null,
    budgetMs: 1_000,
    fixBudgetMs: 300,
    settings,
  }),
  ...changes,
});

export const callContextWith = (changes: Partial<AgentCallContext> = {}): AgentCallContext => ({
  request: {
    role: 'worker',
    key: 'run/a/1/worker',
    agent: 'worker',
    stepId: 'a',
    goal: 'The goal',
    depth: 0,
    mode: 'work',
    vote: null,
    step: { id: 'a', task: 'Do the work', position: 'Step 1 of 1', attempt: 1 },
    dependencies: [],
    feedback: [],
    conversation: [],
    summary: '',
  },
  retry: { attempts: 3, backoffMs: 1_000, maxBackoffMs: 30_000 },
  timeoutMs: 60_000,
  isWindingDown: false,
  isPaused: false,
  pauseLimitMs: 1_000,
  needsPermit: false,
  hasFallback: false,
  gateScore: null,
  tries: 1,
  outcome: null,
  isFallback: false,
  ...changes,
});

export const scored = (score: number): CallResult => ({
  kind: 'answered',
  key: 'key',
  hasOutput: false,
  answer: { role: 'supervisor', score, issues: [], feedback: '' },
});

export const worked = (
  answer: Extract<Extract<CallResult, { kind: 'answered' }>['answer'], { role: 'worker' }>,
): CallResult => ({ kind: 'answered', key: 'key', hasOutput: false, answer });

export const tested = (passed: boolean): CallResult => ({
  kind: 'answered',
  key: 'key',
  hasOutput: true,
  answer: { role: 'tester', passed, failures: passed ? 0 : 1 },
});

export const noAnswer: CallResult = { kind: 'failed', key: 'key', code: 'threw', reason: 'No' };

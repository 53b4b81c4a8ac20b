import type {
  PlanRequest,
  ReviewRequest,
  SummaryRequest,
  TestRequest,
} from '../../src/agents/roles.js';
import type { AgentCall } from '../../src/agents/agent.js';

/* Requests of the orchestrator, as small as possible; a test adds what it is about. */

const neverAborted = new AbortController().signal;

const run = { runId: 'run', labels: {}, input: null };

const base = {
  ...run,
  goal: 'Add a greeting',
  depth: 0,
  key: 'run/s1/1/role',
  signal: neverAborted,
};

export const planRequest = (parts: Partial<PlanRequest> = {}): PlanRequest => ({
  ...base,
  revision: 0,
  agents: [
    { name: 'coder', description: 'Writes code' },
    { name: 'reviewer', description: 'Reads code' },
  ],
  limits: { maxSteps: 15, maxReplans: 3, maxVotes: 1 },
  merge: 'replacePending',
  analysis: '',
  completed: [],
  failed: [],
  pending: [],
  requests: [],
  conversation: [],
  issues: [],
  ...parts,
});

export const reviewRequest = (parts: Partial<ReviewRequest> = {}): ReviewRequest => ({
  ...base,
  subject: 'step',
  threshold: 70,
  step: { id: 's1', task: 'Write the greeting', attempt: 1 },
  plan: null,
  results: [{ stepId: 's1', agent: 'coder', output: 'Hello', isWhole: true }],
  tests: null,
  failed: [],
  ...parts,
});

export const testRequest = (parts: Partial<TestRequest> = {}): TestRequest => ({
  ...base,
  step: { id: 's1', task: 'Write the greeting', attempt: 1 },
  output: 'Hello',
  cycle: 0,
  ...parts,
});

export const summaryRequest = (parts: Partial<SummaryRequest> = {}): SummaryRequest => ({
  ...base,
  analysis: 'Two steps',
  tasks: [
    { stepId: 's1', agent: 'coder', task: 'Write the greeting' },
    { stepId: 's2', agent: 'reviewer', task: 'Review the greeting' },
  ],
  results: [
    { stepId: 's1', agent: 'coder', output: 'Hello', isWhole: true },
    { stepId: 's2', agent: 'reviewer', output: { approved: true }, isWhole: true },
  ],
  failed: [],
  skipped: [],
  ...parts,
});

export const agentCall = (parts: Partial<AgentCall> = {}): AgentCall => ({
  ...run,
  goal: base.goal,
  task: 'Write the greeting',
  step: { id: 's1', position: 'Step 1 of 2', attempt: 1, depth: 0, vote: null },
  mode: 'work',
  dependencies: [],
  feedback: [],
  conversation: [],
  summary: '',
  maxTokens: null,
  key: base.key,
  signal: neverAborted,
  ...parts,
});

/* Valid answers of a model. */

export const goodVerdict = { reasoning: 'Fine', score: 85, issues: [], feedback: 'Go on' };

export const doneReport = (output: unknown = 'Hello'): unknown => ({
  report: { kind: 'done', output, confidence: 0.9 },
});

export const goodPlan = {
  analysis: 'Two steps',
  scope: 'simple',
  successCriteria: null,
  steps: [
    {
      id: 'write',
      agent: 'coder',
      task: 'Write the greeting with its test',
      dependsOn: [],
      complexity: 'simple',
      reason: null,
      requiresApproval: false,
    },
    {
      id: 'review',
      agent: 'reviewer',
      task: 'Review the greeting and its test',
      dependsOn: ['write'],
      complexity: 'simple',
      reason: 'Code is always reviewed',
      requiresApproval: false,
    },
  ],
};

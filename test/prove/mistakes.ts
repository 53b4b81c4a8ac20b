import type { PolicyOverrides } from '../../src/model/policy.js';
import type { ProveOptions, Rule } from '../../src/proof/prove/prove.types.js';
import { LEAST } from './configurations.js';

/** A text in a file of the package, and a mistake to replace it. */
export interface Change {
  readonly file: string;
  readonly right: string;
  readonly wrong: string;
}

/** A mistake, and a policy under which it breaks a rule. */
export interface PlantedMistake {
  readonly name: string;
  readonly rule: Rule;
  readonly changes: readonly Change[];
  readonly policy: PolicyOverrides;
  readonly options?: Partial<ProveOptions>;
  /** How the counterexample begins. */
  readonly message: string;
  /** Where it is found. */
  readonly system: string;
}

export const ONE_QUESTION_TOO_MANY: Change = {
  file: 'src/guards/step.ts',
  right: 'agentQuestions < settings.policy.approval.maxQuestions',
  wrong: 'agentQuestions <= settings.policy.approval.maxQuestions',
};

const QUESTION_WITHOUT_DEADLINE: Change = {
  file: 'src/machines/approval/chart.ts',
  right: 'after: {\n        approvalTimeout: [',
  wrong: 'meta: {\n        approvalTimeout: [',
};

const NO_IS_A_YES: Change = {
  file: 'src/machines/step/chart.ts',
  right: "target: 'skipped' }, { target: 'failed' }]",
  wrong: "target: 'skipped' }, { target: 'performing' }]",
};

/** A failed call has no answer. */
const ANSWER_TAKEN_FOR_GRANTED: Change = {
  file: 'src/guards/step.ts',
  right: "workerAnswer(result)?.report === 'blocked'",
  wrong: "workerAnswer(result).report === 'blocked'",
};

const PAUSE_FOR_EVER: Change = {
  file: 'src/machines/agent-call/chart.ts',
  right: "after: { retryBackoff: { target: 'admissionDecision', actions: 'countTry' } }",
  wrong: "after: { retryBackoff: { target: 'backingOff', reenter: true } }",
};

const FIX_NOT_COUNTED: Change = {
  file: 'src/machines/step/setup.ts',
  right: 'fixCycles: ({ context }) => context.fixCycles + 1',
  wrong: 'fixCycles: ({ context }) => Math.max(1, context.fixCycles)',
};

const TESTED_WITHOUT_TESTER: Change = {
  file: 'src/guards/step.ts',
  right: '=> settings.team.hasTester;',
  wrong: '=> settings.team !== undefined;',
};

const FAILURES_NEVER_TOO_MANY: Change = {
  file: 'src/guards/schedule.ts',
  right: 'context.progress.counts.failedSincePlan >\n',
  wrong: '0 >\n',
};

/** As if no short run showed it: finding that out takes seconds. */
const NO_SHORT_RUN: Change = {
  file: 'src/proof/prove/witness/counterexample-in-run.ts',
  right: 'STATES_MAX = 1_000',
  wrong: 'STATES_MAX = 1',
};

const WHOLE_RUN = 'the whole run';

const IN_CIRCLES = 'The run can loop forever without a command';

/** One mistake for every rule, shown by a whole run; and those that only one chart on its own shows. */
export const PLANTED_MISTAKES: readonly PlantedMistake[] = [
  {
    name: 'bound',
    rule: 'bound',
    changes: [ONE_QUESTION_TOO_MANY],
    policy: LEAST,
    message: '/slot-0 has 1 question, the policy allows 0',
    system: WHOLE_RUN,
  },
  {
    name: 'bound-of-a-chart',
    rule: 'bound',
    changes: [ONE_QUESTION_TOO_MANY, NO_SHORT_RUN],
    policy: { ...LEAST, approval: { maxQuestions: 9 } },
    message: '/slot-0 has 10 questions, the policy allows 9 (a planned step at level 0)',
    system: 'a planned step at level 0',
  },
  {
    name: 'bound-where-steps-are-counted',
    rule: 'bound',
    changes: [FAILURES_NEVER_TOO_MANY, NO_SHORT_RUN],
    policy: {
      ...LEAST,
      limits: { ...LEAST.limits, maxSteps: 2, maxReplans: 2 },
      replan: { merge: 'appendNext' },
      failure: { onStepFailure: 'continue' },
    },
    message: 'The run has 4 failed steps, the policy allows 3 (the plan of the goal)',
    system: 'the plan of the goal',
  },
  {
    name: 'deadline',
    rule: 'deadline',
    changes: [QUESTION_WITHOUT_DEADLINE],
    policy: LEAST,
    message: '/slot-0/approval waits for a person without a deadline',
    system: WHOLE_RUN,
  },
  {
    name: 'rejection',
    rule: 'rejection',
    changes: [NO_IS_A_YES],
    policy: { ...LEAST, approval: { maxQuestions: 0, onReject: 'fail' } },
    message: 's1 continues after a rejection',
    system: WHOLE_RUN,
  },
  {
    name: 'crash',
    rule: 'crash',
    changes: [ANSWER_TAKEN_FOR_GRANTED],
    policy: LEAST,
    message: "The chart step crashed: Unable to evaluate guard 'isBlocked'",
    system: WHOLE_RUN,
  },
  {
    name: 'crash-of-a-chart',
    rule: 'crash',
    changes: [ANSWER_TAKEN_FOR_GRANTED, NO_SHORT_RUN],
    policy: LEAST,
    message: "The chart step crashed: Unable to evaluate guard 'isBlocked'",
    system: 'a planned step at level 0',
  },
  {
    name: 'termination',
    rule: 'termination',
    changes: [PAUSE_FOR_EVER],
    policy: { ...LEAST, retry: { attempts: 2 } },
    message: IN_CIRCLES,
    system: WHOLE_RUN,
  },
  {
    name: 'termination-of-a-chart',
    rule: 'termination',
    changes: [PAUSE_FOR_EVER, NO_SHORT_RUN],
    policy: { ...LEAST, retry: { attempts: 2 } },
    message: `${IN_CIRCLES} (a call)`,
    system: 'a call',
  },
  {
    name: 'finite-cost',
    rule: 'finite cost',
    changes: [FIX_NOT_COUNTED],
    policy: { ...LEAST, limits: { ...LEAST.limits, maxFixCycles: 2 } },
    options: { tester: true },
    message: 'There is no bound on agentCalls: "slot-0/agentCall: worker is done" can happen again',
    system: WHOLE_RUN,
  },
  {
    name: 'finite-cost-of-a-chart',
    rule: 'finite cost',
    changes: [FIX_NOT_COUNTED, NO_SHORT_RUN],
    policy: { ...LEAST, limits: { ...LEAST.limits, maxFixCycles: 2 } },
    options: { tester: true },
    message: 'There is no bound on agentCalls: "slot-0: worker is done" can happen again',
    system: 'a planned step at level 0',
  },
  {
    name: 'price-tag',
    rule: 'price tag',
    changes: [TESTED_WITHOUT_TESTER],
    policy: LEAST,
    message: 'agentCalls can reach 3; bounds() says 2',
    system: WHOLE_RUN,
  },
  {
    name: 'price-tag-of-charts',
    rule: 'price tag',
    changes: [TESTED_WITHOUT_TESTER, NO_SHORT_RUN],
    policy: { ...LEAST, limits: { ...LEAST.limits, maxSteps: 2 }, retry: { attempts: 3 } },
    message: 'agentCalls can reach 15; bounds() says 9',
    system: 'the plan of the goal',
  },
];

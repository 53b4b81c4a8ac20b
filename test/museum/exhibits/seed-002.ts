import { assign, setup } from 'xstate';

import type { EventNamed, Exhibit } from '../exhibit.js';
import { exhibit } from '../exhibit.js';

/* Seed 002, "Dynamic Orchestration Design": planner, dispatcher, agents, reducer, and a person in between. */

/** The reducer checks for a request first, and only then the counter, so requests are never counted. */
const reducer = (requestGuard: 'isAlwaysAllowed' | 'hasReplansLeft') =>
  setup({
    types: {
      context: {} as { readonly replansLeft: number },
      events: {} as EventNamed<
        'agent.answered' | 'agent.asked' | 'agent.failed' | 'planner.answered'
      >,
    },
    guards: {
      isAlwaysAllowed: () => true,
      hasReplansLeft: ({ context }) => context.replansLeft > 0,
    },
    actions: {
      countReplan: assign({ replansLeft: ({ context }) => Math.max(0, context.replansLeft - 1) }),
    },
  }).createMachine({
    id: 'reducer',
    context: { replansLeft: 3 },
    initial: 'working',
    states: {
      working: {
        on: {
          'agent.answered': 'completed',
          'agent.asked': [{ guard: requestGuard, target: 'planning' }, { target: 'failed' }],
          'agent.failed': [{ guard: 'hasReplansLeft', target: 'planning' }, { target: 'failed' }],
        },
      },
      planning: { on: { 'planner.answered': { target: 'working', actions: 'countReplan' } } },
      completed: { type: 'final' },
      failed: { type: 'final' },
    },
  });

interface Dispatch {
  readonly isApproved: boolean | null;
  readonly isUnsure: boolean;
}

/** The dispatcher checks the confidence of the last output before it continues, even after an approval. */
const confidence = (asksAgain: 'asks again' | 'takes the answer') =>
  setup({
    types: {
      context: {} as Dispatch,
      events: {} as EventNamed<
        'agent.answered' | 'agent.answeredUnsure' | 'person.approved' | 'person.rejected'
      >,
    },
    guards: {
      mustAsk: ({ context }) =>
        context.isUnsure && (asksAgain === 'asks again' || context.isApproved === null),
    },
    actions: {
      noteUnsure: assign({ isUnsure: true, isApproved: null }),
      noteApproval: assign({ isApproved: true }),
    },
  }).createMachine({
    id: 'confidence',
    context: { isApproved: null, isUnsure: false },
    initial: 'working',
    states: {
      working: {
        on: {
          'agent.answered': 'completed',
          'agent.answeredUnsure': { target: 'dispatching', actions: 'noteUnsure' },
        },
      },
      dispatching: {
        always: [{ guard: 'mustAsk', target: 'awaitingApproval' }, { target: 'workingAgain' }],
      },
      awaitingApproval: {
        on: {
          'person.approved': { target: 'dispatching', actions: 'noteApproval' },
          'person.rejected': 'failed',
        },
      },
      workingAgain: { on: { 'agent.answered': 'completed' } },
      completed: { type: 'final' },
      failed: { type: 'final' },
    },
  });

/** Both answers of the person lead back to the dispatcher, which only checks whether there is one. */
const approval = (rejectedLeadsTo: 'dispatching' | 'failed') =>
  setup({
    types: {
      context: {} as { readonly isApproved: boolean | null },
      events: {} as EventNamed<'agent.answered' | 'person.approved' | 'person.rejected'>,
    },
    guards: { isUnanswered: ({ context }) => context.isApproved === null },
    actions: {
      keepApproval: assign({ isApproved: true }),
      keepRejection: assign({ isApproved: false }),
    },
  }).createMachine({
    id: 'approval',
    context: { isApproved: null },
    initial: 'dispatching',
    states: {
      dispatching: {
        always: [{ guard: 'isUnanswered', target: 'awaitingApproval' }, { target: 'working' }],
      },
      awaitingApproval: {
        on: {
          'person.approved': { target: 'dispatching', actions: 'keepApproval' },
          'person.rejected': { target: rejectedLeadsTo, actions: 'keepRejection' },
        },
      },
      working: { on: { 'agent.answered': 'completed' } },
      completed: { type: 'final' },
      failed: { type: 'final' },
    },
  });

interface Kept {
  readonly revision: number;
  readonly given: number;
  readonly keys: readonly string[];
}

/** An analyst, then a developer who may request another plan, which begins with an analyst again. */
const outputs = (keyOf: (agent: string, index: number, revision: number) => string) =>
  setup({
    types: {
      context: {} as Kept,
      events: {} as EventNamed<'agent.answered' | 'agent.asked' | 'planner.answered'>,
    },
    guards: { hasReplansLeft: ({ context }) => context.revision < 2 },
    actions: {
      keepOutput: assign(({ context }, { agent, index }: { agent: string; index: number }) => ({
        given: context.given + 1,
        keys: [...new Set([...context.keys, keyOf(agent, index, context.revision)])],
      })),
      startOver: assign({ revision: ({ context }) => context.revision + 1 }),
    },
  }).createMachine({
    id: 'outputs',
    context: { revision: 0, given: 0, keys: [] },
    initial: 'analysing',
    states: {
      analysing: {
        on: {
          'agent.answered': {
            target: 'developing',
            actions: { type: 'keepOutput', params: { agent: 'analyst', index: 0 } },
          },
        },
      },
      developing: {
        on: {
          'agent.answered': {
            target: 'completed',
            actions: { type: 'keepOutput', params: { agent: 'developer', index: 1 } },
          },
          'agent.asked': [{ guard: 'hasReplansLeft', target: 'planning' }, { target: 'completed' }],
        },
      },
      planning: { on: { 'planner.answered': { target: 'analysing', actions: 'startOver' } } },
      completed: { type: 'final' },
    },
  });

interface Analysis {
  readonly isUnsure: boolean;
  readonly confidence: number | null;
  readonly isApproved: boolean;
}

/** The confidence of an output decides whether a person is asked; an analysis has no such field. */
const analysis = (fields: 'findings only' | 'findings and confidence') =>
  setup({
    types: {
      context: {} as Analysis,
      events: {} as EventNamed<
        'analyst.answered' | 'analyst.answeredUnsure' | 'person.approved' | 'person.rejected'
      >,
    },
    guards: {
      isBelowThreshold: ({ context }) => context.confidence !== null && context.confidence < 0.7,
    },
    actions: {
      keepUnsureAnalysis: assign({
        isUnsure: true,
        confidence: fields === 'findings only' ? null : 0.4,
      }),
      keepApproval: assign({ isApproved: true }),
    },
  }).createMachine({
    id: 'analysis',
    context: { isUnsure: false, confidence: null, isApproved: false },
    initial: 'analysing',
    states: {
      analysing: {
        on: {
          'analyst.answered': 'dispatching',
          'analyst.answeredUnsure': { target: 'dispatching', actions: 'keepUnsureAnalysis' },
        },
      },
      dispatching: {
        always: [
          { guard: 'isBelowThreshold', target: 'awaitingApproval' },
          { target: 'developing' },
        ],
      },
      awaitingApproval: {
        on: {
          'person.approved': { target: 'developing', actions: 'keepApproval' },
          'person.rejected': 'failed',
        },
      },
      developing: { type: 'final' },
      failed: { type: 'final' },
    },
  });

interface Judged {
  readonly status: 'running' | 'failed';
  readonly hasFailed: boolean;
}

/** The reducer checks whether the step has failed. The defect: no code records that. */
const failures = (statusAfterFailure: Judged['status']) =>
  setup({
    types: {
      context: {} as Judged,
      events: {} as EventNamed<'agent.answered' | 'agent.failed'>,
    },
    guards: { isStepFailed: ({ context }) => context.status === 'failed' },
    actions: { noteFailure: assign({ hasFailed: true, status: statusAfterFailure }) },
  }).createMachine({
    id: 'failures',
    context: { status: 'running', hasFailed: false },
    initial: 'working',
    states: {
      working: {
        on: {
          'agent.answered': 'reducing',
          'agent.failed': { target: 'reducing', actions: 'noteFailure' },
        },
      },
      reducing: {
        always: [{ guard: 'isStepFailed', target: 'failed' }, { target: 'completed' }],
      },
      completed: { type: 'final' },
      failed: { type: 'final' },
    },
  });

export const seed002: readonly Exhibit[] = [
  exhibit({
    id: 'asks-for-ever',
    title: 'The replan bound counts only failures',
    source: 'seed 002, checklist A.6.8',
    story:
      'The profile allows three replans. The reducer checks for a request before it checks the counter, so an agent that asks is sent back to the planner without a bound; only failures are counted.',
    promise: 'A run ends, whatever its agents ask for.',
    ruledOut:
      'Every reason for another plan goes through the same state, `replanDecision` in `src/machines/orchestrator/planning.ts`. Tested by "requests and failures count alike: an agent that always asks is bounded like one that always fails" in `test/seeds/defects.002.test.ts`.',
    shortest: 8,
    broken: reducer('isAlwaysAllowed'),
    fixed: reducer('hasReplansLeft'),
    property: { kind: 'ends' },
  }),
  exhibit({
    id: 'asks-again',
    title: 'An approval leads to the same question again',
    source: 'seed 002, checklist A.6.9',
    story:
      'An output of low confidence is put to a person. They approve, the dispatcher checks the confidence again, finds it as low as before, and asks again. Only a rejection ends the loop.',
    promise: 'A run ends, whatever its people answer.',
    ruledOut:
      'A step asks before it starts, once: `approvalDecision` in `src/machines/step/chart.ts` is never entered again. Tested by "an approved step needs no second approval, however unsure its agent stays" in `test/seeds/defects.002.test.ts`.',
    shortest: 3,
    broken: confidence('asks again'),
    fixed: confidence('takes the answer'),
    property: { kind: 'ends' },
  }),
  exhibit({
    id: 'reject-then-run',
    title: 'An agent runs after a rejection',
    source: 'seed 002, checklist A.6.10',
    story:
      'A rejection marks the workflow as failed and then takes the same edge as an approval, back to the dispatcher. The dispatcher checks only whether there was an answer: `False` is not `None`, so the agent runs.',
    promise: 'No agent runs after a rejection.',
    ruledOut:
      'A rejected step leads to no agent: `rejectionDecision` in `src/machines/step/chart.ts`. Tested by "a step that a person rejected is never worked on, under every policy" in `test/seeds/defects.002.test.ts`.',
    shortest: 1,
    broken: approval('dispatching'),
    fixed: approval('failed'),
    property: {
      kind: 'never',
      when: ({ at, context }) => at === 'working' && context.isApproved === false,
    },
  }),
  exhibit({
    id: 'overwritten-output',
    title: 'The second analysis overwrites the first',
    source: 'seed 002, checklist A.6.11',
    story:
      'Outputs are kept by agent and place in the plan, and a replan starts at place 0 again. The analyst of the second plan overwrites the analyst of the first, whose findings are lost.',
    promise: 'Every output that was given is kept.',
    ruledOut:
      'An output has the key of the call that gave it: `keyOfTry` in `src/machines/agent-call/updates.ts`. Tested by "after a replan the same agent at the same position overwrites nothing: every output has its own key" in `test/seeds/defects.002.test.ts`.',
    shortest: 4,
    broken: outputs((agent, index) => `${agent}_${index}`),
    fixed: outputs((agent, index, revision) => `${revision}/${agent}_${index}`),
    property: {
      kind: 'never',
      when: ({ context: { keys, given } }) => keys.length < given,
    },
  }),
  exhibit({
    id: 'deaf-gate',
    title: 'The confidence gate ignores the analyst',
    source: 'seed 002, checklist A.6.12',
    story:
      'Work below a confidence of 0.7 is put to a person. The result of the analyst does not inherit the field, so the check for the field fails, and the least sure of all agents never needs approval.',
    promise: 'Unsure work is approved before another agent uses it.',
    ruledOut:
      'Confidence belongs to the answer and not to the output, so every agent has it: `approvalQuestion` in `src/guards/approval.ts`. Tested by "every agent can be unsure, with any name and output, and a failed step is recorded as failed" in `test/seeds/defects.002.test.ts`.',
    shortest: 1,
    broken: analysis('findings only'),
    fixed: analysis('findings and confidence'),
    property: {
      kind: 'never',
      when: ({ at, context: { isUnsure, isApproved } }) =>
        at === 'developing' && isUnsure && !isApproved,
    },
  }),
  exhibit({
    id: 'never-failed',
    title: 'A failure is never recorded',
    source: 'seed 002, checklist A.6.12',
    story:
      'The reducer has a careful branch for failed steps. No line of the design ever sets a step to failed, so the branch is dead, and a workflow with a failed agent is completed.',
    promise: 'A run with a failed step does not end as a success.',
    ruledOut:
      'How a step ended is a state and not a field: `failed` in `src/machines/step/chart.ts`. Tested by "every agent can be unsure, with any name and output, and a failed step is recorded as failed" in `test/seeds/defects.002.test.ts`.',
    shortest: 1,
    broken: failures('running'),
    fixed: failures('failed'),
    property: {
      kind: 'never',
      when: ({ at, context }) => at === 'completed' && context.hasFailed,
    },
  }),
];

import { assign, setup } from 'xstate';

import type { EventNamed, Exhibit } from '../exhibit.js';
import { exhibit } from '../exhibit.js';

/* CrewAI: plan, execute, observe, replan, with `max_replans`. */

interface Todo {
  readonly number: number;
  readonly revision: number;
  readonly isDone: boolean;
}

interface Todos {
  readonly todos: readonly Todo[];
  readonly revision: number;
}

const sameNumber = (todo: Todo, current: Todo): boolean => todo.number === current.number;

const sameStep = (todo: Todo, current: Todo): boolean =>
  sameNumber(todo, current) && todo.revision === current.revision;

const nextTodo = ({ todos }: Todos): Todo | undefined => todos.find(({ isDone }) => !isDone);

const freshTodos = (revision: number): readonly Todo[] =>
  [1, 2].map((number) => ({ number, revision, isDone: false }));

/** Steps are numbered from 1 in every plan, and a result goes to the first step with that number. */
const todoList = (isMeant: (todo: Todo, current: Todo) => boolean) =>
  setup({
    types: {
      context: {} as Todos,
      events: {} as EventNamed<'agent.answered' | 'observer.askedForReplan' | 'planner.answered'>,
    },
    guards: {
      hasReplansLeft: ({ context }) => context.revision < 1,
      isEverythingDone: ({ context }) => nextTodo(context) === undefined,
    },
    actions: {
      complete: assign({
        todos: ({ context }) => {
          const current = nextTodo(context);
          const meant = context.todos.findIndex(
            (todo) => current !== undefined && isMeant(todo, current),
          );
          return context.todos.map((todo, index) =>
            index === meant ? { ...todo, isDone: true } : todo,
          );
        },
      }),
      replacePending: assign(({ context }) => ({
        revision: context.revision + 1,
        todos: [
          ...context.todos.filter(({ isDone }) => isDone),
          ...freshTodos(context.revision + 1),
        ],
      })),
    },
  }).createMachine({
    id: 'todoList',
    context: { todos: freshTodos(0), revision: 0 },
    initial: 'working',
    states: {
      working: {
        on: {
          'agent.answered': { target: 'dispatching', actions: 'complete' },
          'observer.askedForReplan': [
            { guard: 'hasReplansLeft', target: 'replanning' },
            { target: 'ended' },
          ],
        },
      },
      dispatching: {
        always: [{ guard: 'isEverythingDone', target: 'ended' }, { target: 'working' }],
      },
      replanning: { on: { 'planner.answered': { target: 'working', actions: 'replacePending' } } },
      ended: { type: 'final' },
    },
  });

/** The replan decision is read from the last message, or from what the agent reported. */
const trigger = (readsFrom: 'the text' | 'the report') =>
  setup({
    types: {
      context: {} as { readonly text: string; readonly isAskedFor: boolean },
      events: {} as EventNamed<
        'agent.answered' | 'agent.answeredWithTheWord' | 'agent.asked' | 'planner.answered'
      >,
    },
    guards: {
      mustReplan: ({ context }) =>
        readsFrom === 'the text' ? context.text.includes('replan') : context.isAskedFor,
    },
    actions: {
      keep: assign(
        (_, message: { readonly text: string; readonly isAskedFor: boolean }) => message,
      ),
    },
  }).createMachine({
    id: 'trigger',
    context: { text: '', isAskedFor: false },
    initial: 'working',
    states: {
      working: {
        on: {
          'agent.answered': {
            target: 'judging',
            actions: { type: 'keep', params: { text: 'All done', isAskedFor: false } },
          },
          'agent.answeredWithTheWord': {
            target: 'judging',
            actions: {
              type: 'keep',
              params: { text: 'All done, no need to replan', isAskedFor: false },
            },
          },
          'agent.asked': {
            target: 'judging',
            actions: { type: 'keep', params: { text: 'Please replan', isAskedFor: true } },
          },
        },
      },
      judging: { always: [{ guard: 'mustReplan', target: 'replanning' }, { target: 'ended' }] },
      replanning: { on: { 'planner.answered': 'ended' } },
      ended: { type: 'final' },
    },
  });

interface Failures {
  readonly counted: number;
  readonly sincePlan: number;
  readonly replansLeft: number;
}

/** Two failures lead to a new plan. The fix resets them when it is adopted. */
const failureCount = (afterReplan: 'kept' | 'forgotten') =>
  setup({
    types: {
      context: {} as Failures,
      events: {} as EventNamed<
        'agent.answered' | 'agent.failed' | 'plan.done' | 'planner.answered'
      >,
    },
    guards: {
      mustReplan: ({ context }) => context.counted >= 2 && context.replansLeft > 0,
      isOver: ({ context }) => context.counted >= 2,
    },
    actions: {
      countFailure: assign({
        counted: ({ context }) => Math.min(context.counted + 1, 2),
        sincePlan: ({ context }) => Math.min(context.sincePlan + 1, 2),
      }),
      adopt: assign({
        counted: ({ context }) => (afterReplan === 'kept' ? context.counted : 0),
        sincePlan: 0,
        replansLeft: ({ context }) => context.replansLeft - 1,
      }),
    },
  }).createMachine({
    id: 'failureCount',
    context: { counted: 0, sincePlan: 0, replansLeft: 3 },
    initial: 'working',
    states: {
      working: {
        on: {
          'agent.answered': 'judging',
          'agent.failed': { target: 'judging', actions: 'countFailure' },
          'plan.done': 'ended',
        },
      },
      judging: {
        always: [
          { guard: 'mustReplan', target: 'replanning' },
          { guard: 'isOver', target: 'ended' },
          { target: 'working' },
        ],
      },
      replanning: { on: { 'planner.answered': { target: 'working', actions: 'adopt' } } },
      ended: { type: 'final' },
    },
  });

const GOAL = 'Write the report';
const PLANNING_PROMPT = 'Make a plan for: Write the report';

/** The planner overwrites the description of the task for its prompt, and restores it after the answer. */
const description = (afterThrow: string) =>
  setup({
    types: {
      context: {} as { readonly description: string },
      events: {} as EventNamed<'planner.answered' | 'planner.threw' | 'agent.answered'>,
    },
    actions: {
      borrow: assign({ description: PLANNING_PROMPT }),
      giveBack: assign({ description: GOAL }),
      recover: assign({ description: afterThrow }),
    },
  }).createMachine({
    id: 'description',
    context: { description: GOAL },
    initial: 'planning',
    states: {
      planning: {
        entry: 'borrow',
        on: {
          'planner.answered': { target: 'working', actions: 'giveBack' },
          'planner.threw': { target: 'working', actions: 'recover' },
        },
      },
      working: { on: { 'agent.answered': 'ended' } },
      ended: { type: 'final' },
    },
  });

/** An observer judges every step. The defect: the observer fails. */
const observer = (throwLeadsTo: 'completed' | 'replanned') =>
  setup({
    types: {
      context: {} as { readonly isObserved: boolean },
      events: {} as EventNamed<
        'agent.answered' | 'observer.accepted' | 'observer.refused' | 'observer.threw'
      >,
    },
    actions: { noteObserved: assign({ isObserved: true }) },
  }).createMachine({
    id: 'observer',
    context: { isObserved: false },
    initial: 'working',
    states: {
      working: { on: { 'agent.answered': 'observing' } },
      observing: {
        on: {
          'observer.accepted': { target: 'completed', actions: 'noteObserved' },
          'observer.refused': { target: 'replanned', actions: 'noteObserved' },
          'observer.threw': throwLeadsTo,
        },
      },
      completed: { type: 'final' },
      replanned: { type: 'final' },
    },
  });

/** A replan is counted when the planner is called, or when it has answered. */
const replanCount = (countedWhen: 'called' | 'answered') =>
  setup({
    types: {
      context: {} as { readonly replansLeft: number },
      events: {} as EventNamed<
        'agent.answered' | 'agent.failed' | 'planner.answered' | 'planner.threw'
      >,
    },
    guards: { hasReplansLeft: ({ context }) => context.replansLeft > 0 },
    actions: {
      spendOnCall: assign({
        replansLeft: ({ context }) => context.replansLeft - (countedWhen === 'called' ? 1 : 0),
      }),
      spendOnAnswer: assign({
        replansLeft: ({ context }) => context.replansLeft - (countedWhen === 'answered' ? 1 : 0),
      }),
    },
  }).createMachine({
    id: 'replanCount',
    context: { replansLeft: 3 },
    initial: 'working',
    states: {
      working: {
        on: {
          'agent.answered': 'ended',
          'agent.failed': [
            { guard: 'hasReplansLeft', target: 'replanning', actions: 'spendOnCall' },
            { target: 'ended' },
          ],
        },
      },
      replanning: {
        on: {
          'planner.answered': { target: 'working', actions: 'spendOnAnswer' },
          'planner.threw': 'working',
        },
      },
      ended: { type: 'final' },
    },
  });

export const crewai: readonly Exhibit[] = [
  exhibit({
    id: 'renumbered',
    title: 'A result is stored in the old step of the same number',
    source: 'CrewAI, field study B.4 (1)',
    story:
      'Every plan numbers its steps from 1, and a result goes to the first step of that number. After a replan that is the old step, which was done long ago: its result is overwritten, and the new step stays pending and is repeated for ever.',
    promise: 'A run ends, also after a replan.',
    ruledOut:
      'Every step has an index that is never used again: `firstIndex` in `src/plan/adopt.ts`. Tested by "a settled step never changes, nor does its output" in `test/plan/adopt.test.ts`.',
    shortest: 4,
    broken: todoList(sameNumber),
    fixed: todoList(sameStep),
    property: { kind: 'ends' },
  }),
  exhibit({
    id: 'magic-word',
    title: 'The text "no need to replan" causes a replan',
    source: 'CrewAI, field study B.4 (2)',
    story:
      'The replan decision is a search for "replan" in the last message. An agent that writes that there is no need to replan gets a new plan for it, and spends a replan of the budget.',
    promise: 'Only a request for another plan leads to one.',
    ruledOut:
      'A replan request is a kind of answer, never a wording: `isPartial` in `src/guards/step.ts`. Tested by "partial work continues by another plan or agent" in `test/guards/step.test.ts`.',
    shortest: 1,
    broken: trigger('the text'),
    fixed: trigger('the report'),
    property: {
      kind: 'never',
      when: ({ at, context }) => at === 'replanning' && !context.isAskedFor,
    },
  }),
  exhibit({
    id: 'old-failures',
    title: 'Two failures cause three replans',
    source: 'CrewAI, field study B.4 (3)',
    story:
      'Two failed steps lead to a new plan. They still count as two when it is there, so the next check, after a successful step, requests a new plan again, until the replan budget is spent.',
    promise: 'A new plan answers new failures.',
    ruledOut:
      'Failures are counted since the plan that resolved them: `failedSincePlan` in `src/guards/schedule.ts`. Tested by "resolves earlier failures, unless it is a hand-off" in `test/plan/adopt.test.ts`.',
    shortest: 4,
    broken: failureCount('kept'),
    fixed: failureCount('forgotten'),
    property: {
      kind: 'never',
      when: ({ at, context }) => at === 'replanning' && context.sincePlan < 2,
    },
  }),
  exhibit({
    id: 'borrowed-description',
    title: 'The agent receives the prompt of the planner',
    source: 'CrewAI, field study B.4 (4)',
    story:
      'During planning the description of the task is replaced by the prompt of the planner. When the planner throws, it is not restored, so the agent receives the prompt and makes a plan instead of doing the work.',
    promise: 'An agent receives the given task.',
    ruledOut:
      'The input of a call is made from the context for that call, and no shared field is overwritten: `plannerCall` in `src/machines/orchestrator/requests.ts`. Tested by "of a replan leaves the current plan when the planner exceeds it" in `test/scenarios/time.test.ts`.',
    shortest: 1,
    broken: description(PLANNING_PROMPT),
    fixed: description(GOAL),
    property: {
      kind: 'never',
      when: ({ at, context }) => at === 'working' && context.description !== GOAL,
    },
  }),
  exhibit({
    id: 'blind-observer',
    title: 'A failed observer counts as success',
    source: 'CrewAI, field study B.4 (5)',
    story:
      'When the observer fails, the log says that the run replans to be safe. The code below that line returns success.',
    promise: 'A step is completed only when it was observed.',
    ruledOut:
      'A review without an answer is a failed review: `keepReviewFailure` in `src/machines/step/chart.ts`. Tested by "a gate passes only by a verdict of the supervisor" in `test/guards/step.test.ts`.',
    shortest: 2,
    broken: observer('completed'),
    fixed: observer('replanned'),
    property: {
      kind: 'never',
      when: ({ at, context }) => at === 'completed' && !context.isObserved,
    },
  }),
  exhibit({
    id: 'free-replans',
    title: 'A planner that throws never reaches the bound',
    source: 'crewAI#4983 and its review in crewAI#5392',
    story:
      'A replan is counted when the planner has answered. A planner that throws is never counted, so the bound does not hold in the case that needs it most.',
    promise: 'A run ends, even when its planner never answers.',
    ruledOut:
      'The budget is spent when the planner is called: `countPlannerCall` in `src/machines/orchestrator/planning.ts`. Tested by "spends the budget when the planner is called, whatever it answers: one budget for all reasons" in `test/scenarios/replans.test.ts`.',
    shortest: 2,
    broken: replanCount('answered'),
    fixed: replanCount('called'),
    property: { kind: 'ends' },
  }),
];

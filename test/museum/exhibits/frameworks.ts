import { assign, setup } from 'xstate';

import type { EventNamed, Exhibit } from '../exhibit.js';
import { exhibit } from '../exhibit.js';

/* Mastra, Google ADK and LangGraph: loops, escalation, interrupts and limits. */

const MAX_ITERATIONS = 3;

/** The counter of an agent network, as it is passed from turn to turn. */
const network = (next: (iteration: number) => number) =>
  setup({
    types: {
      context: {} as { readonly iteration: number },
      events: {} as EventNamed<'router.chose' | 'router.finished' | 'agent.answered'>,
    },
    guards: { isOutOfIterations: ({ context }) => context.iteration >= MAX_ITERATIONS },
    actions: { count: assign({ iteration: ({ context }) => next(context.iteration) }) },
  }).createMachine({
    id: 'network',
    context: { iteration: 0 },
    initial: 'routing',
    states: {
      routing: {
        on: {
          'router.finished': 'ended',
          'router.chose': [{ guard: 'isOutOfIterations', target: 'ended' }, { target: 'working' }],
        },
      },
      working: { on: { 'agent.answered': { target: 'routing', actions: 'count' } } },
      ended: { type: 'final' },
    },
  });

/** Writer and critic in a loop, the publisher after it. The critic ends the loop by escalating. */
const sequence = (escalationLeadsTo: 'ended' | 'publishing') =>
  setup({
    types: {
      context: {} as { readonly draftsLeft: number; readonly isPublished: boolean },
      events: {} as EventNamed<
        'writer.answered' | 'critic.askedForMore' | 'critic.escalated' | 'publisher.answered'
      >,
    },
    guards: { hasDraftsLeft: ({ context }) => context.draftsLeft > 0 },
    actions: {
      spendDraft: assign({ draftsLeft: ({ context }) => context.draftsLeft - 1 }),
      publish: assign({ isPublished: true }),
    },
  }).createMachine({
    id: 'sequence',
    context: { draftsLeft: 2, isPublished: false },
    initial: 'writing',
    states: {
      writing: { on: { 'writer.answered': 'criticizing' } },
      criticizing: {
        on: {
          'critic.askedForMore': [
            { guard: 'hasDraftsLeft', target: 'writing', actions: 'spendDraft' },
            { target: 'publishing' },
          ],
          'critic.escalated': escalationLeadsTo,
        },
      },
      publishing: { on: { 'publisher.answered': { target: 'ended', actions: 'publish' } } },
      ended: { type: 'final' },
    },
  });

interface Recursion {
  readonly turnsLeft: number;
  readonly done: number;
  readonly reported: number;
}

/** The limit of turns throws an exception, or ends the run like any other result. */
const recursion = (atTheLimit: 'throws' | 'ends') =>
  setup({
    types: {
      context: {} as Recursion,
      events: {} as EventNamed<'agent.answered' | 'agent.finished'>,
    },
    guards: { hasTurnsLeft: ({ context }) => context.turnsLeft > 0 },
    actions: {
      keepResult: assign({
        done: ({ context }) => context.done + 1,
        turnsLeft: ({ context }) => context.turnsLeft - 1,
      }),
      report: assign({ reported: ({ context }) => context.done }),
      reportAtLimit: assign({
        reported: ({ context }) => (atTheLimit === 'throws' ? 0 : context.done),
      }),
    },
  }).createMachine({
    id: 'recursion',
    context: { turnsLeft: 3, done: 0, reported: 0 },
    initial: 'working',
    states: {
      working: {
        on: {
          'agent.answered': { target: 'checkingLimit', actions: 'keepResult' },
          'agent.finished': { target: 'ended', actions: ['keepResult', 'report'] },
        },
      },
      checkingLimit: {
        always: [
          { guard: 'hasTurnsLeft', target: 'working' },
          { target: 'ended', actions: 'reportAtLimit' },
        ],
      },
      ended: { type: 'final' },
    },
  });

interface Replanned {
  readonly plan: readonly string[];
  readonly task: string | null;
  readonly replansLeft: number;
}

/** The replanner answers after every step: with the remaining steps, or with nothing. */
const firstOfPlan = (emptyPlan: 'executed' | 'ends') =>
  setup({
    types: {
      context: {} as Replanned,
      events: {} as EventNamed<'agent.answered' | 'planner.answered' | 'planner.answeredNothing'>,
    },
    guards: {
      isOver: ({ context }) =>
        context.replansLeft === 0 || (emptyPlan === 'ends' && context.plan.length === 0),
    },
    actions: {
      take: assign({ task: ({ context }) => context.plan[0] ?? null }),
      keepPlan: assign({
        plan: (_, plan: readonly string[]) => plan,
        replansLeft: ({ context }) => context.replansLeft - 1,
      }),
    },
  }).createMachine({
    id: 'firstOfPlan',
    context: { plan: ['look'], task: null, replansLeft: 3 },
    initial: 'working',
    states: {
      working: { entry: 'take', on: { 'agent.answered': 'replanning' } },
      replanning: {
        on: {
          'planner.answered': {
            target: 'judging',
            actions: { type: 'keepPlan', params: ['dig'] },
          },
          'planner.answeredNothing': {
            target: 'judging',
            actions: { type: 'keepPlan', params: [] },
          },
        },
      },
      judging: { always: [{ guard: 'isOver', target: 'ended' }, { target: 'working' }] },
      ended: { type: 'final' },
    },
  });

/** A node books a flight and then asks a person. The answer resumes the node, or restarts it. */
const interrupt = (resumesAt: 'booking' | 'confirming') =>
  setup({
    types: {
      context: {} as { readonly bookings: number },
      events: {} as EventNamed<'booking.made' | 'person.answered'>,
    },
    guards: { hasBookedTwice: ({ context }) => context.bookings > 1 },
    actions: { book: assign({ bookings: ({ context }) => context.bookings + 1 }) },
  }).createMachine({
    id: 'interrupt',
    context: { bookings: 0 },
    initial: 'booking',
    states: {
      booking: {
        entry: 'book',
        on: {
          'booking.made': [
            { guard: 'hasBookedTwice', target: 'confirming' },
            { target: 'awaitingAnswer' },
          ],
        },
      },
      awaitingAnswer: { on: { 'person.answered': resumesAt } },
      confirming: { type: 'final' },
    },
  });

type Branch = 'running' | 'suspended' | 'done';

interface Branches {
  readonly left: Branch;
  readonly right: Branch;
}

/** Two branches each wait for a person. Resuming one ends both waits, or only its own. */
const branches = (isOver: (branches: Branches) => boolean) =>
  setup({
    types: {
      context: {} as Branches,
      events: {} as EventNamed<`${'left' | 'right'}.${'suspended' | 'resumed'}`>,
    },
    guards: {
      isLeft: ({ context }, branch: Branch) => context.left === branch,
      isRight: ({ context }, branch: Branch) => context.right === branch,
      isOver: ({ context }) => isOver(context),
    },
    actions: {
      setLeft: assign({ left: (_, branch: Branch) => branch }),
      setRight: assign({ right: (_, branch: Branch) => branch }),
    },
  }).createMachine({
    id: 'branches',
    context: { left: 'running', right: 'running' },
    initial: 'executing',
    states: {
      executing: {
        on: {
          'left.suspended': {
            guard: { type: 'isLeft', params: 'running' },
            actions: { type: 'setLeft', params: 'suspended' },
          },
          'right.suspended': {
            guard: { type: 'isRight', params: 'running' },
            actions: { type: 'setRight', params: 'suspended' },
          },
          'left.resumed': {
            guard: { type: 'isLeft', params: 'suspended' },
            actions: { type: 'setLeft', params: 'done' },
          },
          'right.resumed': {
            guard: { type: 'isRight', params: 'suspended' },
            actions: { type: 'setRight', params: 'done' },
          },
        },
        always: { guard: 'isOver', target: 'completed' },
      },
      completed: { type: 'final' },
    },
  });

export const frameworks: readonly Exhibit[] = [
  exhibit({
    id: 'stuck-counter',
    title: 'A counter of zero is reset to minus one',
    source: 'mastra#9387, its cause in mastra#9762',
    story:
      'The counter of the loop is passed on as `x ? x : -1` and then increased. Zero is false, so it becomes minus one and zero again: the loop never gets past its first turn and never ends. The reporter stopped it by killing the server.',
    promise: 'A run ends, whatever its router chooses.',
    ruledOut:
      'Counters are numbers that are compared, and every limit is a finite number: `countTry` in `src/machines/agent-call/chart.ts`. Tested by "every time is tried exactly as often as the policy says, and fails the step with the last reason" in `test/scenarios/retries.test.ts`.',
    shortest: 2,
    broken: network((iteration) => (iteration === 0 ? -1 : iteration) + 1),
    fixed: network((iteration) => iteration + 1),
    property: { kind: 'ends' },
  }),
  exhibit({
    id: 'escalate-all',
    title: 'Leaving one loop leaves all enclosing loops',
    source: 'adk-python#526, adk-python#2808, adk-python#1376, adk-go#522',
    story:
      'An agent leaves its loop by escalating. The event travels up, and every loop and sequence around it treats it as its own: the publisher that comes after the loop never runs.',
    promise: 'The steps after a loop run.',
    ruledOut:
      'A child ends with an outcome that its own parent judges, and events that travel carry their route: `routedFrom` in `src/machines/send-up.ts`. Tested by "fails when its sub-plan fails, and the rest of the run continues" in `test/scenarios/subplans.test.ts`.',
    shortest: 2,
    broken: sequence('ended'),
    fixed: sequence('publishing'),
    property: {
      kind: 'never',
      when: ({ at, context }) => at === 'ended' && !context.isPublished,
    },
  }),
  exhibit({
    id: 'limit-throws',
    title: 'Reaching the limit loses the completed work',
    source: 'LangGraph, field study B.2; openai-agents-python#844 and openai-agents-js#573 alike',
    story:
      'The only bound of the loop is a limit of turns, and reaching it is an exception. Everything that was done until then is lost to the caller, who gets a stack trace instead of three good results.',
    promise: 'At a bound the work so far is reported.',
    ruledOut:
      'A bound is a state with transitions, and every end has the report: `replanBoundDecision` in `src/machines/orchestrator/planning.ts`. Tested by "the run fails and keeps completed work: onLimit fail" in `test/scenarios/replan-limits.test.ts`.',
    shortest: 3,
    broken: recursion('throws'),
    fixed: recursion('ends'),
    property: {
      kind: 'never',
      when: ({ at, context: { reported, done } }) => at === 'ended' && reported < done,
    },
  }),
  exhibit({
    id: 'first-of-nothing',
    title: 'The executor takes the first step of an empty plan',
    source: 'LangGraph plan-and-execute example, field study B.2',
    story:
      'The replanner answers with the remaining steps. When there are none, the executor still takes the first element and gives an agent an undefined task.',
    promise: 'No agent is called without a task.',
    ruledOut:
      'Steps are taken from the ready list, and an empty plan is settled: `isPlanSettled` in `src/guards/schedule.ts`. Tested by "a plan without steps is valid: there was nothing to do" in `test/seeds/defects.004.test.ts`.',
    shortest: 2,
    broken: firstOfPlan('executed'),
    fixed: firstOfPlan('ends'),
    property: {
      kind: 'never',
      when: ({ at, context }) => at === 'working' && context.task === null,
    },
  }),
  exhibit({
    id: 'resumed-from-the-top',
    title: 'Work before a question is repeated after it',
    source: 'langgraph#6208',
    story:
      'A node that asks a person is run again from its first line when the answer comes. What it did before it asked, a booking for instance, is done twice.',
    promise: 'Work before a question is not repeated after it.',
    ruledOut:
      'A question is a state of its own, `awaitingApproval` in `src/machines/step/chart.ts`, and calls are answered from the journal when a run is resumed. Tested by "continue with the fix after a question of the agent, and every call has its own key" in `test/scenarios/supervision.test.ts`.',
    shortest: 2,
    broken: interrupt('booking'),
    fixed: interrupt('confirming'),
    property: { kind: 'never', when: ({ context }) => context.bookings > 1 },
  }),
  exhibit({
    id: 'premature-success',
    title: 'One answer ends two waits',
    source: 'mastra#6418, mastra#9288, mastra#10746, mastra#12982, mastra#14875',
    story:
      'Two branches run side by side and both wait for a person. The first answer resumes the workflow, which finds that the branch it resumed is done, and reports success while the other still waits.',
    promise: 'A run is completed only when nothing of it waits.',
    ruledOut:
      'The plan is settled when nothing is pending and nothing runs: `isPlanSettled` in `src/guards/schedule.ts`. Tested by "at depth 1 reaches the root, and the answers reach the askers in any order" in `test/scenarios/subplans.test.ts`.',
    shortest: 3,
    broken: branches(
      ({ left, right }) =>
        (left === 'done' && right !== 'running') || (right === 'done' && left !== 'running'),
    ),
    fixed: branches(({ left, right }) => left === 'done' && right === 'done'),
    property: {
      kind: 'never',
      when: ({ at, context: { left, right } }) =>
        at === 'completed' && (left !== 'done' || right !== 'done'),
    },
  }),
];

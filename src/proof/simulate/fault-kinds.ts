/**
 * The faults of simulated worlds, by name; the row is that of section 5 of the reliability reference. A world has some
 * of these faults and not others, so that rare pairs occur as well.
 */
export const FAULT_KINDS = {
  'agent-hangs': 'never answers',
  'agent-late': 'ignores the abort, and answers after the call has ended',
  'agent-throws': 'throws before it returns a promise',
  'agent-rejects': 'rejects with a value that is not an error',
  'agent-silent': 'answers undefined',
  'agent-floods': 'answers more than maxOutputBytes',
  'agent-misshapen': 'answers with a value that its schema rejects',
  'agent-unserializable': 'answers a BigInt, a Map or a getter that throws',
  'agent-cyclic': 'answers something that contains itself',
  'agent-on-the-tick': 'answers in the instant of its timeout',
  'agent-flaky': 'fails at first, and answers when it is tried again',
  'agent-dead': 'fails on every try',
  'agent-meddles': 'tries to change what it was given',
  'agent-lookalike': 'answers with an actor handle, an event or a plan in its output',
  'agent-blocked': 'reports that it is blocked, so that another attempt and a sub-plan follow',
  'agent-needs-context': 'reports that something is missing',
  'agent-hands-off': 'hands off to another agent, or to an unknown one',
  'agent-wants-replan': 'asks for another plan',
  'agent-asks-human': 'asks a person, once or repeatedly',
  'agent-unsure': 'answers with a low confidence',
  'agent-expensive': 'answers with a bill that uses up the budget',
  'verdict-odd': 'an invalid score',
  'verdict-low': 'a score below the gates',
  'verdict-issues': 'a good score with issues',
  'tests-fail': 'the tests fail, with or without a fix plan',
  'plan-unknown-agent': 'names an agent outside the team',
  'plan-cyclic': 'a cycle, or a step that waits for itself',
  'plan-duplicate-id': 'two steps with the same id',
  'plan-dangling': 'a dependency on an unknown step',
  'plan-empty': 'no steps',
  'plan-too-large': 'more steps than maxSteps',
  'plan-bad-id': 'invalid ids',
  'plan-repeated': 'the same plan again',
  'planner-fails': 'hangs, throws or answers garbage',
  'plan-reuses-ids': 'names steps as earlier ones were named, and depends on those',
  'plan-hidden-text': 'invisible and right-to-left characters',
  'plan-wide': 'as wide, or as deep, as a plan may be',
  'plan-votes': 'a step that is voted on',
  'human-unknown': 'answers a question that was not asked',
  'human-twice': 'says yes twice, or yes and then no',
  'human-rejects': 'says no',
  'human-malformed': 'an answer that is neither yes nor no',
  'human-late': 'answers when the time is up',
  'human-silent': 'never answers',
  'person-pauses': 'pauses the run, and unpauses it later',
  'person-skips': 'skips steps',
  'person-extends': 'gives the run more time',
  'person-speaks': 'says something to the run',
  'person-aborts': 'ends the run',
  'commands-flood': 'many commands at once',
  'commands-malformed': 'invalid commands',
  'commands-late': 'commands after the end, and from within a listener',
  'listener-throws': 'a listener that throws',
  'time-short': 'the limit hits while everything is at work',
  'time-endless': 'timeouts longer than any timer of the platform',
  crash: 'the process dies, before, after or between a write and what follows from it',
  'crash-downtime': 'the process dies and is back much later',
  'network-slow':
    'a request to the store, or its answer, is late; perhaps later than the process waits',
  'request-lost': 'a request to the store never arrives',
  'answer-lost': 'the store does what it is asked, and the answer is lost',
  'requests-reordered': 'a request to the store is overtaken by a later one of the same process',
  'request-duplicated': 'the store gets a request twice',
  'store-away': 'the store cannot be reached for a while, shorter or longer than it is retried',
  'watch-silent': 'hints of the store never reach a process',
  'clock-skewed': 'the clock of a machine is up to ten seconds wrong',
  'clock-jumps': 'the clock of a machine is set forward',
  'second-process': 'two processes at once, and a run is taken over when a lease runs out',
  'process-sleeps': 'a process stops, mostly for longer than its lease, and continues',
} as const satisfies Readonly<Record<string, string>>;

/** The name of a fault. */
export type FaultKind = keyof typeof FAULT_KINDS;

/** Faults of a single request to the store. */
export const NETWORK_FAULTS = [
  'network-slow',
  'request-lost',
  'answer-lost',
  'requests-reordered',
  'request-duplicated',
] as const satisfies readonly FaultKind[];

/** Faults between processes, clocks and the store. */
export const EDGE_FAULTS = [
  ...NETWORK_FAULTS,
  'store-away',
  'watch-silent',
  'clock-skewed',
  'clock-jumps',
  'second-process',
  'process-sleeps',
] as const satisfies readonly FaultKind[];

/** All kinds of faults. */
export const ALL_FAULT_KINDS = Object.keys(FAULT_KINDS) as readonly FaultKind[];

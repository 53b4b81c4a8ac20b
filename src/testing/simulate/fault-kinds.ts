/**
 * What can go wrong in a simulated world, by name; the row is the one of section 5 of the reliability reference. A
 * world has some of these and not the others, so that rare pairs meet as well.
 */
export const FAULT_KINDS = {
  'agent-hangs': 'A1: never answers',
  'agent-late': 'A2: ignores that it is aborted, and answers when nobody waits',
  'agent-throws': 'A3: throws before it returns a promise',
  'agent-rejects': 'A4: rejects with something that is no error',
  'agent-silent': 'A5: answers undefined',
  'agent-floods': 'A6: answers more than maxOutputBytes',
  'agent-misshapen': 'A7, A8: answers what its schema refuses',
  'agent-unserializable': 'A9: answers a BigInt, a Map or a getter that throws',
  'agent-cyclic': 'A10: answers something that contains itself',
  'agent-on-the-tick': 'A12, T7: answers in the instant of its timeout',
  'agent-flaky': 'A13: fails at first, and answers when it is tried again',
  'agent-dead': 'A14: fails on every try',
  'agent-meddles': 'A16: tries to change what it was given',
  'agent-lookalike': 'A20, A21: answers with an actor handle, an event or a plan in its output',
  'agent-blocked': 'P12: says that it cannot, so that it is tried again and by a sub-plan',
  'agent-needs-context': 'reports that something is missing',
  'agent-hands-off': 'hands off to another agent, or to one who does not exist',
  'agent-wants-replan': 'asks for another plan',
  'agent-asks-human': 'H7: asks a person, once or again and again',
  'agent-unsure': 'answers with a low confidence',
  'agent-expensive': 'answers with a bill that uses up the budget',
  'verdict-odd': 'A11: a score that is no score',
  'verdict-low': 'a score below the gates',
  'verdict-issues': 'a good score with issues',
  'tests-fail': 'the tests fail, with or without a fix plan',
  'plan-unknown-agent': 'P1, A17, A18: names somebody who is not in the team',
  'plan-cyclic': 'P2: a cycle, or a step that waits for itself',
  'plan-duplicate-id': 'P3: two steps of one name',
  'plan-dangling': 'P4: a dependency on nothing',
  'plan-empty': 'P5: no steps',
  'plan-too-large': 'P6: more steps than maxSteps',
  'plan-bad-id': 'P7: ids that are no ids',
  'plan-repeated': 'P8: the same plan again',
  'planner-fails': 'P9: hangs, throws or answers garbage',
  'plan-reuses-ids': 'P10: names steps as earlier ones were named, and depends on those',
  'plan-hidden-text': 'P13: invisible and right-to-left characters',
  'plan-wide': 'P14: as wide, or as deep, as a plan may be',
  'plan-votes': 'a step that is voted on',
  'human-unknown': 'H1: answers a question that nobody asked',
  'human-twice': 'H2: says yes twice, or yes and then no',
  'human-rejects': 'H3: says no',
  'human-malformed': 'H4: an answer that is neither yes nor no',
  'human-late': 'H5, H10: answers when the time is up',
  'human-silent': 'H10: never answers',
  'person-pauses': 'pauses the run, and resumes it later',
  'person-skips': 'takes steps off the plan',
  'person-extends': 'gives the run more time',
  'person-speaks': 'says something to the run',
  'person-aborts': 'H10: ends the run',
  'commands-flood': 'E1: many commands at once',
  'commands-malformed': 'E2: commands that are no commands',
  'commands-late': 'E4: commands after the end, and from within a listener',
  'listener-throws': 'E5: a listener that throws',
  'time-short': 'T5: the limit hits while everything is at work',
  'time-endless': 'T1: timeouts longer than any timer of the platform',
  crash: 'S1: the process dies, before, after or between a write and what follows from it',
  'crash-downtime': 'T4: the process dies and is back much later',
  'network-slow':
    'S2: a request to the store, or its answer, is late; perhaps later than the process waits',
  'request-lost': 'S8: a request to the store never arrives',
  'answer-lost': 'S8: the store does what it is asked, and the answer is lost',
  'requests-reordered':
    'S8: a request to the store is overtaken by a later one of the same process',
  'request-duplicated': 'S8: the store gets a request twice',
  'store-away': 'S8: the store cannot be reached for a while, shorter or longer than it is retried',
  'watch-silent': 'S8: hints of the store never reach a process',
  'clock-skewed': 'T3: the clock of a machine is up to ten seconds wrong',
  'clock-jumps': 'T3: the clock of a machine is set forward',
  'second-process': 'S5: two processes at once, and a run is taken over when a lease runs out',
  'process-sleeps': 'S5: a process stops, mostly for longer than its lease, and goes on',
} as const satisfies Readonly<Record<string, string>>;

/** The name of a fault. */
export type FaultKind = keyof typeof FAULT_KINDS;

/** Those of a single request to the store. */
export const NETWORK_FAULTS = [
  'network-slow',
  'request-lost',
  'answer-lost',
  'requests-reordered',
  'request-duplicated',
] as const satisfies readonly FaultKind[];

/** Those between processes, clocks and the store. */
export const EDGE_FAULTS = [
  ...NETWORK_FAULTS,
  'store-away',
  'watch-silent',
  'clock-skewed',
  'clock-jumps',
  'second-process',
  'process-sleeps',
] as const satisfies readonly FaultKind[];

/** All of them. */
export const ALL_FAULT_KINDS = Object.keys(FAULT_KINDS) as readonly FaultKind[];

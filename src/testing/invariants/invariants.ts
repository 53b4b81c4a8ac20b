/**
 * The promises a run is held to, by name. The number is the one of section 6 of the reliability reference, where
 * several names may share one; the sentence is what is promised.
 */
export const INVARIANTS = {
  'settled-once': { number: 1, promise: 'A step settles exactly once, and never changes again.' },
  'dependencies-first': {
    number: 2,
    promise:
      'A step starts only when what it depends on is done, and is skipped only behind a loss.',
  },
  'parallel-cap': {
    number: 3,
    promise: 'Never more steps at once than maxParallel, each in a slot of its own.',
  },
  'no-idle-slot': {
    number: 3,
    promise: 'While a plan is executed, a step that can run does, as far as there are slots.',
  },
  'attempts-bounded': {
    number: 4,
    promise: 'Attempts, tries and votes are counted without gaps and stay within their bounds.',
  },
  'replans-bounded': {
    number: 5,
    promise: 'Every change of the plan spends the one budget, and never more than it holds.',
  },
  'plans-sound': {
    number: 5,
    promise: 'A plan that is adopted has new ids, resolvable dependencies, no cycle and its turn.',
  },
  'depth-bounded': { number: 6, promise: 'No sub-plan is deeper than maxDepth.' },
  'ladder-in-order': {
    number: 7,
    promise: 'Every verdict is judged by its gate and moves the ladder to the rung it calls for.',
  },
  'intent-first': {
    number: 8,
    promise: 'No call without a record of it, and no answer without a call.',
  },
  'calls-once': {
    number: 8,
    promise: 'One owner of a run makes a call once.',
  },
  'answered-once': {
    number: 8,
    promise: 'A call whose answer is durable is never made again, by any process.',
  },
  'outputs-kept': {
    number: 9,
    promise: 'What a completed step made is in the journal, as it was made.',
  },
  'outputs-delivered': {
    number: 9,
    promise: 'An agent is handed what the steps before it made, as they made it.',
  },
  'consent-first': {
    number: 10,
    promise: 'Nothing that needs consent runs without it, and nothing after a no.',
  },
  'ceilings-held': {
    number: 11,
    promise: 'Calls, steps, questions and outputs stay within the policy and the price tag.',
  },
  'recoveries-bounded': {
    number: 11,
    promise: 'A run that dies again and again without coming on is ended at its bound, not before.',
  },
  'ending-true': { number: 12, promise: 'The end says what happened, and why.' },
  'report-true': { number: 12, promise: 'The report says what the journal says.' },
  'replay-agrees': { number: 13, promise: 'A run that is taken up again goes on as it was.' },
  'journal-gapless': { number: 14, promise: 'Entries and facts are numbered without gaps.' },
  'leases-held': {
    number: 14,
    promise: 'No process takes a run over while the lease of its owner lasts.',
  },
  'causes-first': {
    number: 15,
    promise: 'Facts come in the order of their causes: one beginning, one end, nothing after it.',
  },
  'team-only': { number: 16, promise: 'Nobody outside the team is ever called.' },
  'nothing-left': {
    number: 18,
    promise: 'After the end there is no timer, and whoever is still at work was told.',
  },
  'ends-in-time': {
    number: 19,
    promise: 'A run ends within its limit, its grace period and the extensions it was given.',
  },
  heals: {
    number: 20,
    promise: 'When nothing goes wrong any more, a run ends by its own deadlines.',
  },
  'waits-in-time': {
    number: 22,
    promise: 'A call is over by the timeout of a try, a question by the timeout of approvals.',
  },
  'pause-held': {
    number: 23,
    promise: 'A paused run starts no step, and no try of a call for its plan or its goal.',
  },
  'commands-answered': {
    number: 23,
    promise: 'Every command is answered, and none is accepted after the end.',
  },
  'commands-kept': {
    number: 23,
    promise:
      'An acknowledged command is judged, and an answer that is in the store before anything expires; a refused one is not carried out.',
  },
  'told-implies-durable': {
    number: 24,
    promise:
      'No subscriber is told a fact, no command is answered and no agent is called before a later owner can read why.',
  },
  'outages-survived': {
    number: 25,
    promise: 'A store that is back within the retry window costs no run.',
  },
  'runners-agree': {
    number: 26,
    promise: 'What is replayed of a chart is what XState does, down to every parameter.',
  },
} as const satisfies Readonly<Record<string, { number: number; promise: string }>>;

/** The name of an invariant. */
export type InvariantName = keyof typeof INVARIANTS;

/**
 * The promises about a run, by name. The number is that of section 6 of the reliability reference, where several names
 * may share one; the sentence is the promise.
 */
export const INVARIANTS = {
  'settled-once': { number: 1, promise: 'A step settles exactly once, and never changes again.' },
  'dependencies-first': {
    number: 2,
    promise:
      'A step starts only when its dependencies are satisfied, and is skipped only behind a failed, skipped or cancelled one.',
  },
  'parallel-cap': {
    number: 3,
    promise: 'Never more steps at once than maxParallel, each in its own slot.',
  },
  'no-idle-slot': {
    number: 3,
    promise: 'While a plan is executed, every runnable step runs as far as slots are free.',
  },
  'attempts-bounded': {
    number: 4,
    promise: 'Attempts, tries and votes are counted without gaps and stay within their bounds.',
  },
  'replans-bounded': {
    number: 5,
    promise: 'Every change of the plan spends the replan budget, and never more than it holds.',
  },
  'plans-sound': {
    number: 5,
    promise:
      'An adopted plan has new ids, resolvable dependencies, no cycle and the next revision.',
  },
  'depth-bounded': { number: 6, promise: 'No sub-plan is deeper than maxDepth.' },
  'ladder-in-order': {
    number: 7,
    promise: 'Every verdict is judged by its gate and moves the ladder to the right level.',
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
    promise: 'The output of a completed step is in the journal, unchanged.',
  },
  'outputs-delivered': {
    number: 9,
    promise: 'An agent receives the outputs of its dependencies unchanged.',
  },
  'consent-first': {
    number: 10,
    promise: 'Nothing that needs an approval runs without it, and nothing after a rejection.',
  },
  'ceilings-held': {
    number: 11,
    promise: 'Calls, steps, questions and outputs stay within the policy and its bounds.',
  },
  'recoveries-bounded': {
    number: 11,
    promise:
      'A run that is taken over repeatedly without progress is ended at its bound, not before.',
  },
  'ending-true': { number: 12, promise: 'The end of a run reports what happened, and why.' },
  'report-true': { number: 12, promise: 'The report agrees with the journal.' },
  'replay-agrees': { number: 13, promise: 'A resumed run continues with the same facts.' },
  'journal-gapless': { number: 14, promise: 'Entries and facts are numbered without gaps.' },
  'leases-held': {
    number: 14,
    promise: 'No process takes a run over while the lease of its owner lasts.',
  },
  'causes-first': {
    number: 15,
    promise: 'Facts come in the order of their causes: one beginning, one end, nothing after it.',
  },
  'team-only': { number: 16, promise: 'No call goes to an agent outside the team.' },
  'nothing-left': {
    number: 18,
    promise: 'After the end no timer is armed, and calls in flight are aborted.',
  },
  'ends-in-time': {
    number: 19,
    promise: 'A run ends within its limit, its grace period and its extensions.',
  },
  heals: {
    number: 20,
    promise: 'Without further faults a run ends by its own deadlines.',
  },
  'waits-in-time': {
    number: 22,
    promise: 'A call ends by the timeout of a try, a question by the timeout of approvals.',
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
      'An acknowledged command is handled, and so is an answer that is stored before a deadline expires; a refused command has no effect.',
  },
  'told-implies-durable': {
    number: 24,
    promise:
      'No fact is delivered, no command answered and no agent called before its entry is durable.',
  },
  'outages-survived': {
    number: 25,
    promise: 'A store that is back within the retry window ends no run.',
  },
  'runners-agree': {
    number: 26,
    promise: 'A replayed transition equals that of XState, including every parameter.',
  },
} as const satisfies Readonly<Record<string, { number: number; promise: string }>>;

/** The name of an invariant. */
export type InvariantName = keyof typeof INVARIANTS;

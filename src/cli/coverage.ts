import type { ChartCoverage } from '../proof/paths/paths.types.js';
import type { Proof } from '../proof/prove/prove.types.js';

/* Which parts of the charts a policy never reaches, and why, as far as the names tell. */

/** Transitions that are not taken, grouped by reason. */
export interface Untaken {
  readonly reason: string;
  readonly transitions: readonly string[];
}

export const untakenIn = ({ method }: Proof, coverage: ChartCoverage): Untaken[] => {
  const missing = new Set(coverage.missingStates);
  const byReason = new Map<string, string[]>();
  for (const name of coverage.missing) {
    const reason = reasonFor(partsOf(name), missing, method);
    byReason.set(reason, [...(byReason.get(reason) ?? []), name]);
  }
  return REASONS.flatMap((reason) => {
    const transitions = byReason.get(reason);
    return transitions === undefined ? [] : [{ reason, transitions }];
  });
};

/** `step.admitting: always [needsApproval] -> step.awaitingApproval`, taken apart. */
export interface TransitionParts {
  readonly source: string;
  readonly event: string;
  readonly condition: string;
  readonly targets: readonly string[];
}

export const partsOf = (name: string): TransitionParts => {
  const { source, event, condition, goal } =
    /^(?<source>[^:]*): (?<event>\S+)(?: \[(?<condition>[^\]]*)\])? -> (?<goal>.*?)(?: \(\d+\))?$/.exec(
      name,
    )?.groups ?? {};
  return {
    source: source ?? name,
    event: eventText(event ?? ''),
    condition: condition ?? '',
    targets: goal === undefined || goal === 'stays' ? [] : goal.split(', '),
  };
};

/** The event type as the charts name it, from XState's internal name. */
const eventText = (type: string): string => {
  if (type.startsWith('xstate.after.')) return `after ${type.slice('xstate.after.'.length)}`;
  const [, outcome, actor] = /^xstate\.(done|error)\.actor\.(.+)$/.exec(type) ?? [];
  if (outcome === undefined) return type;
  return `${actor === '*' ? 'any actor' : (actor ?? '')} ${outcome}`;
};

const UNREACHED = 'from or to a state that is never reached';
const NO_ANSWER = 'no answer leads to it';
const CRASH = 'a chart or a call would have to crash';
const PASSING_ON =
  'messages that are passed on, which only --whole-run looks at: here it is one chart at a time';

const REASONS = [UNREACHED, NO_ANSWER, CRASH, PASSING_ON] as const;

/** Messages that charts pass on for other charts. */
const PASSED_ON = /^(?:permit|call|approval|verdict)\./;

const reasonFor = (
  { source, event, targets }: TransitionParts,
  missing: ReadonlySet<string>,
  method: Proof['method'],
): (typeof REASONS)[number] => {
  if (missing.has(source) || targets.some((target) => missing.has(target))) return UNREACHED;
  if (event.endsWith(' error')) return CRASH;
  const isPassedOn = targets.length === 0 && PASSED_ON.test(event);
  return isPassedOn && method === 'compositional' ? PASSING_ON : NO_ANSWER;
};

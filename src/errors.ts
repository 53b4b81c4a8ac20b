/**
 * Every error this package throws.
 *
 * A failed goal is a report, not an exception: these classes are for mistakes of the caller (an
 * invalid policy, an unknown run) and for refusals to guess (a journal that does not fit the
 * charts).
 */

import { readSafely } from './failure.js';

/** One problem of a policy, a plan or a configuration, as data. */
export interface Issue {
  /** Stable name of the kind of problem, for programs. */
  readonly code: string;
  /** Where it is: `limits.maxReplans`, `steps[2].agent`; empty for the whole. */
  readonly path: string;
  /** What is wrong and what was expected, for people. */
  readonly message: string;
  /** A warning stops nothing. Missing means error. */
  readonly severity?: 'error' | 'warning';
}

/** `limits` and `maxReplans` as `limits.maxReplans`; a position in a list as `approval.agents[2]`. */
export const joinPath = (path: string, name: PropertyKey): string => {
  if (typeof name === 'number') return `${path}[${name}]`;
  return path === '' ? String(name) : `${path}.${String(name)}`;
};

/** The path of an {@link Issue} from its parts. */
export const pathText = (parts: readonly PropertyKey[]): string =>
  parts.reduce<string>(joinPath, '');

// Registered, not local: two copies of this package in one program must know each other's errors.
const marker = Symbol.for('planwright.error');

/**
 * The base of all errors of this package.
 *
 * @example
 * ```ts
 * if (PlanwrightError.isInstance(error) && error.code === 'run-not-found') startAnew();
 * ```
 */
export class PlanwrightError extends Error {
  override readonly name: string = 'PlanwrightError';
  /** Stable, for programs; messages may change between versions. */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  static {
    // On the prototype, so that the marker is not printed with every error.
    Object.defineProperty(this.prototype, marker, { value: true });
  }

  /** Unlike `instanceof`, this also knows errors of another copy of the package. */
  static isInstance(value: unknown): value is PlanwrightError {
    return readSafely(value, marker) === true;
  }
}

/** An error with the name and code of one class. */
interface NamedError<Name extends string> extends PlanwrightError {
  readonly name: Name;
}

interface NamedIssuesError<Name extends string> extends NamedError<Name> {
  readonly issues: readonly Issue[];
}

/** A class of errors. Its `isInstance` needs no `this`: `errors.filter(PolicyError.isInstance)` works. */
interface ErrorClass<Parameters extends readonly unknown[], Instance extends PlanwrightError> {
  new (...parameters: Parameters): Instance;
  isInstance(value: unknown): value is Instance;
}

type MessageErrorClass<Name extends string> = ErrorClass<
  [message: string, options?: ErrorOptions],
  NamedError<Name>
>;

type IssuesErrorClass<Name extends string> = ErrorClass<
  [issues: readonly Issue[], options?: ErrorOptions],
  NamedIssuesError<Name>
>;

/**
 * The base of an error class: one name, one code, and an `isInstance` that compares the code. The annotation lets
 * bundlers drop unused classes.
 */
/* @__NO_SIDE_EFFECTS__ */
const errorNamed = <Name extends string>(name: Name, code: string): MessageErrorClass<Name> =>
  class extends PlanwrightError {
    override readonly name = name;

    constructor(message: string, options?: ErrorOptions) {
      super(code, message, options);
    }

    static override isInstance(value: unknown): value is NamedError<Name> {
      return PlanwrightError.isInstance(value) && readSafely(value, 'code') === code;
    }
  };

/** The same for errors that list every issue at once, below a headline. */
/* @__NO_SIDE_EFFECTS__ */
const issuesErrorNamed = <Name extends string>(
  name: Name,
  code: string,
  headline: string,
): IssuesErrorClass<Name> =>
  class extends errorNamed(name, code) {
    readonly issues: readonly Issue[];

    constructor(issues: readonly Issue[], options?: ErrorOptions) {
      const listed = issues.slice(0, ISSUES_MAX).map(shortened);
      super(listIssues(headline, listed, issues.length - listed.length), options);
      this.issues = listed;
    }

    static override isInstance(value: unknown): value is NamedIssuesError<Name> {
      return super.isInstance(value);
    }
  };

/** More issues than a person reads. A policy with 100,000 unknown options would have as many. */
const ISSUES_MAX = 50;

/** Longer than any message of this package without its quoted input. */
const MESSAGE_CHARACTERS_MAX = 2_000;

function shortened(issue: Issue): Issue {
  const { path, message } = issue;
  if (path.length + message.length <= MESSAGE_CHARACTERS_MAX) return issue;
  const cut = (text: string): string =>
    text.length > MESSAGE_CHARACTERS_MAX ? `${text.slice(0, MESSAGE_CHARACTERS_MAX)}…` : text;
  return { ...issue, path: cut(path), message: cut(message) };
}

/** A policy has options that are unknown, out of range or in conflict. */
export class PolicyError extends issuesErrorNamed(
  'PolicyError',
  'invalid-policy',
  'The policy is invalid',
) {}

/** A plan breaks a rule: unknown agent, cycle, duplicate id, too many steps. */
export class PlanError extends issuesErrorNamed(
  'PlanError',
  'invalid-plan',
  'The plan is invalid',
) {}

/** The parts handed to the composition root do not fit together. */
export class ConfigurationError extends issuesErrorNamed(
  'ConfigurationError',
  'invalid-configuration',
  'The configuration is invalid',
) {}

/** The value is not a recording. */
export class InvalidRecordingError extends issuesErrorNamed(
  'InvalidRecordingError',
  'invalid-recording',
  'The recording is invalid',
) {}

/** The run has no such position, or cannot be forked there as asked. */
export class TimeTravelError extends issuesErrorNamed(
  'TimeTravelError',
  'invalid-time-travel',
  'The position does not exist or cannot be forked',
) {}

/** Another process owns the run, or has written to its journal since. */
export class RunConflictError extends errorNamed('RunConflictError', 'run-conflict') {}

/** Another process owns the run; it can be resumed here once the lease has ended. */
export class RunClaimedError extends errorNamed('RunClaimedError', 'already-claimed') {}

/** The store has no run with this id. */
export class RunNotFoundError extends errorNamed('RunNotFoundError', 'run-not-found') {}

/** The first fact in a journal that this build would not have told, or would have told differently. */
export interface JournalDifference {
  /** The number of the fact. */
  readonly sequence: number;
  /** What the journal contains, in words. */
  readonly expected: string;
  /** What this build would have told, in words. */
  readonly actual: string;
}

/**
 * The run cannot be resumed here: its journal has other facts than this build would tell, or needs an agent that is
 * missing.
 */
export class JournalMismatchError extends errorNamed('JournalMismatchError', 'journal-mismatch') {
  /** Undefined where an agent is missing. */
  readonly difference: JournalDifference | undefined;

  constructor(
    message: string,
    { difference, ...options }: ErrorOptions & { readonly difference?: JournalDifference } = {},
  ) {
    super(message, options);
    this.difference = difference;
  }

  static override isInstance(value: unknown): value is JournalMismatchError {
    return super.isInstance(value);
  }
}

/** The inbox of the run has reached its maximum number of commands. */
export class InboxFullError extends errorNamed('InboxFullError', 'inbox-full') {}

/** The store is unreachable or full, or its answer was lost. Whether anything changed is unknown. */
export class StoreUnavailableError extends errorNamed(
  'StoreUnavailableError',
  'store-unavailable',
) {}

/** A try of a call failed without an error of its own: it timed out, or its answer was refused. */
export class AgentCallError extends errorNamed('AgentCallError', 'agent-call-failed') {
  /** Why the try failed, such as `timeout` or `invalid-output`. */
  readonly failure: string;

  constructor(message: string, failure: string) {
    super(message);
    this.failure = failure;
  }
}

/** `close()` was called: this orchestrator no longer accepts runs. */
export class OrchestratorClosedError extends errorNamed(
  'OrchestratorClosedError',
  'orchestrator-closed',
) {
  constructor(message = 'The orchestrator is closed', options?: ErrorOptions) {
    super(message, options);
  }
}

/** A subscriber was unsubscribed because it fell too far behind the facts of its run. The run is not affected. */
export class SlowSubscriberError extends errorNamed('SlowSubscriberError', 'slow-subscriber') {
  constructor(behindMax: number, options?: ErrorOptions) {
    super(
      `A subscriber was more than ${behindMax} facts behind and was unsubscribed: return sooner, or read run.facts() at your own pace`,
      options,
    );
  }
}

/** The stored journal is damaged, newer than this package, or not written by it. It was left unchanged. */
export class JournalCorruptError extends errorNamed('JournalCorruptError', 'journal-corrupt') {
  readonly reason: CorruptionReason;

  constructor(reason: CorruptionReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }

  static override isInstance(value: unknown): value is JournalCorruptError {
    return super.isInstance(value);
  }
}

/** `torn`: unreadable; `foreign`: not a planwright journal; `newer`: written by a later version of this package. */
export type CorruptionReason = 'torn' | 'foreign' | 'newer';

/** What a replayed run did differently from its recording. */
export interface RecordingDifference {
  /** Where: `calls.<key>`, a member of `calls.<key>.request`, or of `facts.<number>`. */
  readonly path: string;
  /** What was recorded, as JSON. */
  readonly expected: string;
  /** What happened instead, as JSON. */
  readonly actual: string;
}

/** A recorded run was replayed and behaved differently: the agents, the policy or the charts have changed. */
export class RecordingDriftError extends errorNamed('RecordingDriftError', 'recording-drift') {
  readonly difference: RecordingDifference;

  constructor(difference: RecordingDifference, options?: ErrorOptions) {
    const { path, expected, actual } = difference;
    const cut = (value: string): string => value.slice(0, 2_000);
    super(
      `The run differs from its recording, first at ${path}: the recording has ${cut(expected)}, this run has ${cut(actual)}`,
      options,
    );
    this.difference = difference;
  }

  static override isInstance(value: unknown): value is RecordingDriftError {
    return super.isInstance(value);
  }
}

/** An agent under test broke a promise on a generated path. */
export class PathError extends errorNamed('PathError', 'path-failed') {
  readonly issues: readonly Issue[];
  /** What happened, one sentence after the other. */
  readonly steps: readonly string[];

  constructor(
    path: { readonly name: string; readonly steps: readonly string[] },
    issues: readonly Issue[],
    options?: ErrorOptions,
  ) {
    const road = path.steps.map((step, index) => `\n  ${index + 1}. ${step}`).join('');
    super(`${listIssues(`The path '${path.name}' fails`, issues)}${road}`, options);
    this.issues = [...issues];
    this.steps = [...path.steps];
  }

  static override isInstance(value: unknown): value is PathError {
    return super.isInstance(value);
  }
}

function listIssues(headline: string, issues: readonly Issue[], leftOut = 0): string {
  const lines = issues.map(({ path, message, severity }) => {
    const place = path === '' ? '' : `${path}: `;
    return `- ${severity === 'warning' ? '(warning) ' : ''}${place}${message}`;
  });
  const rest = leftOut > 0 ? [`- and ${leftOut} more`] : [];
  return [`${headline}:`, ...lines, ...rest].join('\n');
}

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

/** The base of the errors that list what is wrong, all of it at once. */
abstract class IssuesError extends PlanwrightError {
  readonly issues: readonly Issue[];

  constructor(
    code: string,
    headline: string,
    issues: readonly Issue[],
    options: ErrorOptions | undefined,
  ) {
    const listed = issues.slice(0, ISSUES_MAX).map(shortened);
    super(code, listIssues(headline, listed, issues.length - listed.length), options);
    this.issues = listed;
  }
}

/** More than a person reads. A policy with 100,000 unknown options would have as many issues. */
const ISSUES_MAX = 50;

/** Longer than any message of this package; what it quotes of its input is not. */
const MESSAGE_CHARACTERS_MAX = 2_000;

function shortened(issue: Issue): Issue {
  const { path, message } = issue;
  if (path.length + message.length <= MESSAGE_CHARACTERS_MAX) return issue;
  const cut = (text: string): string =>
    text.length > MESSAGE_CHARACTERS_MAX ? `${text.slice(0, MESSAGE_CHARACTERS_MAX)}…` : text;
  return { ...issue, path: cut(path), message: cut(message) };
}

/** A policy has options that are unknown, out of range or in conflict. */
export class PolicyError extends IssuesError {
  override readonly name = 'PolicyError';

  constructor(issues: readonly Issue[], options?: ErrorOptions) {
    super('invalid-policy', 'The policy is invalid', issues, options);
  }

  static override isInstance(value: unknown): value is PolicyError {
    return hasCode(value, 'invalid-policy');
  }
}

/** A plan breaks a rule: unknown agent, cycle, duplicate id, too many steps. */
export class PlanError extends IssuesError {
  override readonly name = 'PlanError';

  constructor(issues: readonly Issue[], options?: ErrorOptions) {
    super('invalid-plan', 'The plan is invalid', issues, options);
  }

  static override isInstance(value: unknown): value is PlanError {
    return hasCode(value, 'invalid-plan');
  }
}

/** The parts handed to the composition root do not fit together. */
export class ConfigurationError extends IssuesError {
  override readonly name = 'ConfigurationError';

  constructor(issues: readonly Issue[], options?: ErrorOptions) {
    super('invalid-configuration', 'The configuration is invalid', issues, options);
  }

  static override isInstance(value: unknown): value is ConfigurationError {
    return hasCode(value, 'invalid-configuration');
  }
}

/** Somebody else owns the run, or has written to its journal in between. */
export class RunConflictError extends PlanwrightError {
  override readonly name = 'RunConflictError';

  constructor(message: string, options?: ErrorOptions) {
    super('run-conflict', message, options);
  }

  static override isInstance(value: unknown): value is RunConflictError {
    return hasCode(value, 'run-conflict');
  }
}

/** The run is being run by somebody else; it may be taken up when its lease is over. */
export class RunClaimedError extends PlanwrightError {
  override readonly name = 'RunClaimedError';

  constructor(message: string, options?: ErrorOptions) {
    super('already-claimed', message, options);
  }

  static override isInstance(value: unknown): value is RunClaimedError {
    return hasCode(value, 'already-claimed');
  }
}

/** `close()` was called: this orchestrator takes nothing up any more. */
export class OrchestratorClosedError extends PlanwrightError {
  override readonly name = 'OrchestratorClosedError';

  constructor(message = 'The orchestrator is closed', options?: ErrorOptions) {
    super('orchestrator-closed', message, options);
  }

  static override isInstance(value: unknown): value is OrchestratorClosedError {
    return hasCode(value, 'orchestrator-closed');
  }
}

/** The store has no run with this id. */
export class RunNotFoundError extends PlanwrightError {
  override readonly name = 'RunNotFoundError';

  constructor(message: string, options?: ErrorOptions) {
    super('run-not-found', message, options);
  }

  static override isInstance(value: unknown): value is RunNotFoundError {
    return hasCode(value, 'run-not-found');
  }
}

/** Replaying the journal gave other facts than the stored ones: the charts have changed since. */
export class JournalMismatchError extends PlanwrightError {
  override readonly name = 'JournalMismatchError';

  constructor(message: string, options?: ErrorOptions) {
    super('journal-mismatch', message, options);
  }

  static override isInstance(value: unknown): value is JournalMismatchError {
    return hasCode(value, 'journal-mismatch');
  }
}

/** As many commands as may wait for a run are waiting already. */
export class InboxFullError extends PlanwrightError {
  override readonly name = 'InboxFullError';

  constructor(message: string, options?: ErrorOptions) {
    super('inbox-full', message, options);
  }

  static override isInstance(value: unknown): value is InboxFullError {
    return hasCode(value, 'inbox-full');
  }
}

/** A subscriber was unsubscribed because it fell too far behind the facts of its run. The run is not affected. */
export class SlowSubscriberError extends PlanwrightError {
  override readonly name = 'SlowSubscriberError';

  constructor(behindMax: number, options?: ErrorOptions) {
    const text = `A subscriber was more than ${behindMax} facts behind and was unsubscribed: return sooner, or read run.facts() at your own pace`;
    super('slow-subscriber', text, options);
  }

  static override isInstance(value: unknown): value is SlowSubscriberError {
    return hasCode(value, 'slow-subscriber');
  }
}

/** The store cannot be reached or has no room left, or its answer was lost: it is not known whether anything changed. */
export class StoreUnavailableError extends PlanwrightError {
  override readonly name = 'StoreUnavailableError';

  constructor(message: string, options?: ErrorOptions) {
    super('store-unavailable', message, options);
  }

  static override isInstance(value: unknown): value is StoreUnavailableError {
    return hasCode(value, 'store-unavailable');
  }
}

/** What is stored is torn, newer than this package, or not of this package. It was left as it is. */
export class JournalCorruptError extends PlanwrightError {
  override readonly name = 'JournalCorruptError';
  readonly reason: CorruptionReason;

  constructor(reason: CorruptionReason, message: string, options?: ErrorOptions) {
    super('journal-corrupt', message, options);
    this.reason = reason;
  }

  static override isInstance(value: unknown): value is JournalCorruptError {
    return hasCode(value, 'journal-corrupt');
  }
}

/** `torn`: it cannot be read; `foreign`: somebody else's; `newer`: of a later version of this package. */
export type CorruptionReason = 'torn' | 'foreign' | 'newer';

/** What a replayed run did differently from its recording. */
export interface RecordingDifference {
  /** Where: `calls.<key>`, `calls.<key>.request` or `facts.<number>`. */
  readonly path: string;
  /** What was recorded, as JSON. */
  readonly expected: string;
  /** What happened instead, as JSON. */
  readonly actual: string;
}

/** A recorded run was replayed and went another way: the agents, the policy or the charts have changed. */
export class RecordingDriftError extends PlanwrightError {
  override readonly name = 'RecordingDriftError';
  readonly difference: RecordingDifference;

  constructor(difference: RecordingDifference, options?: ErrorOptions) {
    const { path, expected, actual } = difference;
    const cut = (value: string): string => value.slice(0, 2_000);
    super(
      'recording-drift',
      `The run is not as it was recorded, first at ${path}: expected ${cut(expected)}, got ${cut(actual)}`,
      options,
    );
    this.difference = difference;
  }

  static override isInstance(value: unknown): value is RecordingDriftError {
    return hasCode(value, 'recording-drift');
  }
}

/** What was given as a recording is none. */
export class InvalidRecordingError extends IssuesError {
  override readonly name = 'InvalidRecordingError';

  constructor(issues: readonly Issue[], options?: ErrorOptions) {
    super('invalid-recording', 'The recording is invalid', issues, options);
  }

  static override isInstance(value: unknown): value is InvalidRecordingError {
    return hasCode(value, 'invalid-recording');
  }
}

/** A place in a run that is none, or a what-if that cannot be made of it. */
export class TimeTravelError extends IssuesError {
  override readonly name = 'TimeTravelError';

  constructor(issues: readonly Issue[], options?: ErrorOptions) {
    super('invalid-time-travel', 'There is no such place to go to', issues, options);
  }

  static override isInstance(value: unknown): value is TimeTravelError {
    return hasCode(value, 'invalid-time-travel');
  }
}

/** An agent that was taken along a generated path broke a promise there. */
export class PathError extends PlanwrightError {
  override readonly name = 'PathError';
  readonly issues: readonly Issue[];
  /** What happened, one sentence after the other. */
  readonly steps: readonly string[];

  constructor(
    path: { readonly name: string; readonly steps: readonly string[] },
    issues: readonly Issue[],
    options?: ErrorOptions,
  ) {
    const road = path.steps.map((step, index) => `\n  ${index + 1}. ${step}`).join('');
    super('path-failed', `${listIssues(`The path '${path.name}' fails`, issues)}${road}`, options);
    this.issues = [...issues];
    this.steps = [...path.steps];
  }

  static override isInstance(value: unknown): value is PathError {
    return hasCode(value, 'path-failed');
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

function hasCode(value: unknown, code: string): boolean {
  return PlanwrightError.isInstance(value) && readSafely(value, 'code') === code;
}

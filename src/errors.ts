/**
 * Every error this package throws, and the one place that turns a thrown value into data.
 *
 * A failed goal is a report, not an exception: these classes are for mistakes of the caller (an
 * invalid policy, an unknown run) and for refusals to guess (a journal that does not fit the
 * charts).
 */

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

/** A thrown value as JSON-safe strings, fit for a fact in the journal. */
export interface Failure {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
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

/** A policy has options that are unknown, out of range or in conflict. */
export class PolicyError extends PlanwrightError {
  override readonly name = 'PolicyError';
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[], options?: ErrorOptions) {
    super('invalid-policy', listIssues('The policy is invalid', issues), options);
    this.issues = [...issues];
  }

  static override isInstance(value: unknown): value is PolicyError {
    return hasCode(value, 'invalid-policy');
  }
}

/** A plan breaks a rule: unknown agent, cycle, duplicate id, too many steps. */
export class PlanError extends PlanwrightError {
  override readonly name = 'PlanError';
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[], options?: ErrorOptions) {
    super('invalid-plan', listIssues('The plan is invalid', issues), options);
    this.issues = [...issues];
  }

  static override isInstance(value: unknown): value is PlanError {
    return hasCode(value, 'invalid-plan');
  }
}

/** The parts handed to the composition root do not fit together. */
export class ConfigurationError extends PlanwrightError {
  override readonly name = 'ConfigurationError';
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[], options?: ErrorOptions) {
    super('invalid-configuration', listIssues('The configuration is invalid', issues), options);
    this.issues = [...issues];
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

/** The store cannot be reached or has no room left. Nothing has changed; it may work again later. */
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
export class InvalidRecordingError extends PlanwrightError {
  override readonly name = 'InvalidRecordingError';
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[], options?: ErrorOptions) {
    super('invalid-recording', listIssues('The recording is invalid', issues), options);
    this.issues = [...issues];
  }

  static override isInstance(value: unknown): value is InvalidRecordingError {
    return hasCode(value, 'invalid-recording');
  }
}

/** A place in a run that is none, or a what-if that cannot be made of it. */
export class TimeTravelError extends PlanwrightError {
  override readonly name = 'TimeTravelError';
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[], options?: ErrorOptions) {
    super('invalid-time-travel', listIssues('There is no such place to go to', issues), options);
    this.issues = [...issues];
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

// A message is for people and for the journal: long enough for a stack of validation errors, short
// enough that an agent which throws its whole output cannot fill a store.
const maxMessageCharacters = 2_000;
const maxNameCharacters = 200;

/**
 * Any thrown value as a name, a message and perhaps a code. Never throws, whatever was thrown:
 * undefined, a symbol, a circular object, an object whose getters throw, a revoked proxy.
 */
export function toFailure(thrown: unknown): Failure {
  const name = text(readSafely(thrown, 'name'), maxNameCharacters) ?? 'Error';
  const message = text(readSafely(thrown, 'message'), maxMessageCharacters);
  const code = text(readSafely(thrown, 'code'), maxNameCharacters);
  return {
    name: typeof thrown === 'function' ? 'Error' : name,
    message: message ?? text(describeThrown(thrown), maxMessageCharacters) ?? name,
    // Numbers are left out: the numeric code of a DOMException is a relic, its name says more.
    ...(code === undefined ? {} : { code }),
  };
}

function listIssues(headline: string, issues: readonly Issue[]): string {
  const lines = issues.map(({ path, message, severity }) => {
    const place = path === '' ? '' : `${path}: `;
    return `- ${severity === 'warning' ? '(warning) ' : ''}${place}${message}`;
  });
  return [`${headline}:`, ...lines].join('\n');
}

function hasCode(value: unknown, code: string): boolean {
  return PlanwrightError.isInstance(value) && readSafely(value, 'code') === code;
}

/** Undefined instead of an exception: getters, proxies and foreign objects may do anything. */
function readSafely(holder: unknown, key: PropertyKey): unknown {
  if ((typeof holder !== 'object' && typeof holder !== 'function') || holder === null) {
    return undefined;
  }
  try {
    return Reflect.get(holder, key);
  } catch {
    return undefined;
  }
}

/**
 * The value when it is a string with something in it, cut to length and made storable: a NUL or
 * half a surrogate pair, also one cut in half here, is valid JSON that databases refuse.
 */
function text(value: unknown, maxCharacters: number): string | undefined {
  if (typeof value !== 'string' || value === '') {
    return undefined;
  }
  return value
    .slice(0, maxCharacters)
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .replaceAll('\0', '\uFFFD');
}

function describeThrown(thrown: unknown): string {
  if (typeof thrown === 'string') {
    return thrown === '' ? 'An empty string was thrown' : thrown;
  }
  if (typeof thrown === 'function') {
    return 'A function was thrown';
  }
  if (typeof thrown !== 'object' || thrown === null) {
    return `A value that is not an error was thrown: ${String(thrown)}`;
  }
  if (readSafely(thrown, 'message') === '') {
    return 'An error without a message was thrown';
  }
  return describeObject(thrown);
}

function describeObject(thrown: object): string {
  const description = 'An object that is not an error was thrown';
  try {
    // Typed as a string, but undefined when a toJSON says so.
    const json: unknown = JSON.stringify(thrown);
    return typeof json === 'string' ? `${description}: ${json}` : description;
  } catch {
    // Circular, too deep, or with a toJSON or a getter that throws.
    return description;
  }
}

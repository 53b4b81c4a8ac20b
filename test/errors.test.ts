import { describe, expect, it, vi } from 'vitest';

import {
  ConfigurationError,
  InboxFullError,
  type Issue,
  InvalidRecordingError,
  JournalCorruptError,
  JournalMismatchError,
  OrchestratorClosedError,
  PathError,
  PlanError,
  PlanwrightError,
  PolicyError,
  RecordingDriftError,
  RunClaimedError,
  RunConflictError,
  RunNotFoundError,
  SlowSubscriberError,
  StoreUnavailableError,
  TimeTravelError,
} from '../src/errors.js';
import { toFailure } from '../src/failure.js';

const issues: readonly Issue[] = [
  { code: 'invalid-option', path: 'limits.maxReplans', message: 'Expected a number' },
  { code: 'unknown-agent', path: 'steps[2].agent', message: 'No agent has this name' },
  { code: 'odd', path: '', message: 'The whole is odd', severity: 'warning' },
];

const errors = [
  [new PolicyError(issues), 'PolicyError', 'invalid-policy'],
  [new PlanError(issues), 'PlanError', 'invalid-plan'],
  [new ConfigurationError(issues), 'ConfigurationError', 'invalid-configuration'],
  [new RunConflictError('taken'), 'RunConflictError', 'run-conflict'],
  [new RunNotFoundError('missing'), 'RunNotFoundError', 'run-not-found'],
  [new JournalMismatchError('other facts'), 'JournalMismatchError', 'journal-mismatch'],
  [new InboxFullError('full'), 'InboxFullError', 'inbox-full'],
  [new StoreUnavailableError('no room'), 'StoreUnavailableError', 'store-unavailable'],
  [new InvalidRecordingError(issues), 'InvalidRecordingError', 'invalid-recording'],
  [
    new RecordingDriftError({ path: 'facts.0', expected: '1', actual: '2' }),
    'RecordingDriftError',
    'recording-drift',
  ],
  [new JournalCorruptError('torn', 'cut off'), 'JournalCorruptError', 'journal-corrupt'],
  [new RunClaimedError('owned'), 'RunClaimedError', 'already-claimed'],
  [new OrchestratorClosedError(), 'OrchestratorClosedError', 'orchestrator-closed'],
  [new SlowSubscriberError(9), 'SlowSubscriberError', 'slow-subscriber'],
  [new TimeTravelError(issues), 'TimeTravelError', 'invalid-time-travel'],
  [new PathError({ name: 'a path', steps: ['One'] }, issues), 'PathError', 'path-failed'],
] as const;

const throwingHolder = {
  get name(): string {
    throw new Error('name');
  },
  get message(): string {
    throw new Error('message');
  },
  get code(): string {
    throw new Error('code');
  },
  toJSON(): never {
    throw new Error('toJSON');
  },
};

const circular: Record<string, unknown> = {};
circular['self'] = circular;

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

describe('errors', () => {
  it.each(errors)('%s has its name, its stable code and the marker', (error, name, code) => {
    expect(error).toBeInstanceOf(Error);
    expect(error).toBeInstanceOf(PlanwrightError);
    expect(error.name).toBe(name);
    expect(error.code).toBe(code);
    expect(PlanwrightError.isInstance(error)).toBe(true);
    expect(error.stack).toContain(error.message);
  });

  it.each([PolicyError, PlanError, ConfigurationError])(
    '%o lists every issue on its own line and keeps them as data',
    (IssueError) => {
      const error = new IssueError(issues);
      expect(error.issues).toEqual(issues);
      expect(error.message.split('\n').slice(1)).toEqual([
        '- limits.maxReplans: Expected a number',
        '- steps[2].agent: No agent has this name',
        '- (warning) The whole is odd',
      ]);
    },
  );

  it('does not share its list of issues with the caller', () => {
    const given = [...issues];
    const error = new PlanError(given);
    given.pop();
    expect(error.issues).toHaveLength(issues.length);
  });

  it('keeps the cause', () => {
    const cause = new Error('first');
    expect(new RunConflictError('taken', { cause }).cause).toBe(cause);
    expect(new PolicyError(issues, { cause }).cause).toBe(cause);
    expect(Object.hasOwn(new RunConflictError('taken'), 'cause')).toBe(false);
  });

  it('are distinguished by their classes', () => {
    const classes = [
      PolicyError,
      PlanError,
      ConfigurationError,
      RunConflictError,
      RunNotFoundError,
      JournalMismatchError,
      InboxFullError,
      StoreUnavailableError,
      JournalCorruptError,
      InvalidRecordingError,
      RecordingDriftError,
      RunClaimedError,
      OrchestratorClosedError,
      SlowSubscriberError,
      TimeTravelError,
      PathError,
    ];
    expect(classes).toHaveLength(errors.length);
    for (const [error, name] of errors) {
      const matching = classes.filter((candidate) => candidate.isInstance(error));
      expect(matching.map((candidate) => candidate.name)).toEqual([name]);
      expect(matching.map((candidate) => error instanceof candidate)).toEqual([true]);
    }
  });

  it('are distinguished by functions that need no class', () => {
    const all: PlanwrightError[] = errors.map(([error]) => error);
    expect(all.filter(PolicyError.isInstance).map(({ name }) => name)).toEqual(['PolicyError']);
    expect(all.filter(RunClaimedError.isInstance)).toHaveLength(1);
    expect(all.filter(JournalCorruptError.isInstance).map(({ reason }) => reason)).toEqual([
      'torn',
    ]);
  });

  it('are recognized from another copy of the package', async () => {
    vi.resetModules();
    const otherCopy = await import('../src/errors.js');
    const foreign = new otherCopy.PolicyError(issues);
    expect(foreign).not.toBeInstanceOf(PlanwrightError);
    expect(PlanwrightError.isInstance(foreign)).toBe(true);
    expect(PolicyError.isInstance(foreign)).toBe(true);
    expect(PlanError.isInstance(foreign)).toBe(false);
  });

  it.each([
    ['undefined', () => undefined],
    ['null', () => null],
    ['its own code', () => 'invalid-policy'],
    ['a symbol', () => Symbol('x')],
    ['an object', () => ({ code: 'invalid-policy' })],
    ['a foreign error', () => new Error('x')],
    ['an object whose getters throw', () => throwingHolder],
  ])('include no other value: %s', (_, create) => {
    expect(PlanwrightError.isInstance(create())).toBe(false);
    expect(PolicyError.isInstance(create())).toBe(false);
  });

  it('accept a revoked proxy without throwing', () => {
    expect(PlanwrightError.isInstance(revokedProxy())).toBe(false);
  });
});

describe('toFailure', () => {
  it('keeps name, message and code of an error', () => {
    const error = Object.assign(new TypeError('bad input'), { code: 'EBAD' });
    expect(toFailure(error)).toEqual({ name: 'TypeError', message: 'bad input', code: 'EBAD' });
    expect(toFailure(new RunNotFoundError('no run'))).toEqual({
      name: 'RunNotFoundError',
      message: 'no run',
      code: 'run-not-found',
    });
  });

  it('keeps the name of a DOMException and leaves its numeric code out', () => {
    const failure = toFailure(new DOMException('stopped', 'AbortError'));
    expect(failure).toEqual({ name: 'AbortError', message: 'stopped' });
  });

  // Made by functions, because the test runner prints its cases and fails on some of them.
  it.each<readonly [string, () => unknown, string]>([
    ['undefined', () => undefined, 'A value that is not an error was thrown: undefined'],
    ['null', () => null, 'A value that is not an error was thrown: null'],
    ['a bigint', () => 7n, 'A value that is not an error was thrown: 7'],
    ['a symbol', () => Symbol('why'), 'A value that is not an error was thrown: Symbol(why)'],
    ['a string', () => 'plain text', 'plain text'],
    ['an empty string', () => '', 'An empty string was thrown'],
    ['a silent error', () => new Error(''), 'An error without a message was thrown'],
    ['a function', () => () => 'called', 'A function was thrown'],
    ['a class', () => PlanError, 'A function was thrown'],
    ['data', () => ({ status: 500 }), 'An object that is not an error was thrown: {"status":500}'],
    ['a circular object', () => circular, 'An object that is not an error was thrown'],
    ['throwing getters', () => throwingHolder, 'An object that is not an error was thrown'],
    ['a revoked proxy', revokedProxy, 'An object that is not an error was thrown'],
    ['no JSON', () => ({ toJSON: () => undefined }), 'An object that is not an error was thrown'],
  ])('describes any thrown value: %s', (_, create, message) => {
    expect(toFailure(create())).toEqual({ name: 'Error', message });
  });

  it('treats an object with a message as an error', () => {
    expect(toFailure({ message: 'from afar', name: 7, code: 404 })).toEqual({
      name: 'Error',
      message: 'from afar',
    });
  });

  it('cuts every string to length', () => {
    const long = 'x'.repeat(1_000_000);
    const failure = toFailure({ name: long, message: long, code: long });
    expect(failure.message).toHaveLength(2_000);
    expect(failure.name).toHaveLength(200);
    expect(failure.code).toHaveLength(200);
    expect(toFailure(long).message).toHaveLength(2_000);
    expect(toFailure({ long }).message).toHaveLength(2_000);
  });

  it('gives strings that a database stores: no NUL, no lone surrogate', () => {
    const { message } = toFailure(`a\0b\uD800c${'x'.repeat(1_994)}😀`);
    expect(message).toHaveLength(2_000);
    expect(message.startsWith('a\uFFFDb\uFFFDc')).toBe(true);
    expect(message.endsWith('x\uFFFD')).toBe(true);
  });

  it('survives a deep object', () => {
    let deep: object = {};
    for (let depth = 0; depth < 100_000; depth += 1) {
      deep = { deep };
    }
    expect(toFailure(deep).name).toBe('Error');
  });
});

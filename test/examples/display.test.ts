import { describe, expect, it } from 'vitest';

import { HELP, readArguments, UsageError } from '../../examples/supervised-run/arguments.js';
import { displayOf } from '../../examples/supervised-run/display.js';
import { hasModel, openModel } from '../../examples/supervised-run/model.js';
import { runSession } from '../../examples/supervised-run/session.js';
import { DEMO_TIMEOUT_MS, startDemo } from './demo-process.js';

const terminal = { isTTY: true, columns: 90 };
const pipe = {};
const noWishes = { isPlain: false, hasColor: true, columns: null };

describe('the output', () => {
  it('uses every feature on a terminal, and plain lines without colour elsewhere', () => {
    const onTerminal = displayOf(terminal, { TERM: 'xterm' }, noWishes);
    expect(onTerminal.isLive).toBe(true);
    expect(onTerminal.style.paint('red', 'x')).toBe('\u001B[31mx\u001B[39m');
    expect(onTerminal.columns()).toBe(90);
    const elsewhere = displayOf(pipe, {}, noWishes);
    expect(elsewhere.isLive).toBe(false);
    expect(elsewhere.style.paint('red', 'x')).toBe('x');
    expect(elsewhere.columns()).toBe(100);
  });

  it('is plain on request, and on a terminal without features', () => {
    expect(displayOf(terminal, {}, { ...noWishes, isPlain: true }).isLive).toBe(false);
    expect(displayOf(terminal, { TERM: 'dumb' }, noWishes).isLive).toBe(false);
  });

  it('has colour by the usual environment variables', () => {
    const painted = (environment: Record<string, string>, hasColor = true, stream = terminal) =>
      displayOf(stream, environment, { ...noWishes, hasColor }).style.paint('bold', 'x');
    expect(painted({ NO_COLOR: '1' })).toBe('x');
    expect(painted({ NO_COLOR: '' })).not.toBe('x');
    expect(painted({}, false)).toBe('x');
    expect(painted({ FORCE_COLOR: '1' }, true, pipe as typeof terminal)).not.toBe('x');
    expect(painted({ FORCE_COLOR: '1', NO_COLOR: '1' })).toBe('x');
  });

  it('has ASCII signs where the locale is not UTF-8', () => {
    const sign = (environment: Record<string, string>) =>
      displayOf(terminal, environment, noWishes).style.signs.completed;
    expect(sign({})).toBe('✔');
    expect(sign({ LANG: 'de_DE.UTF-8' })).toBe('✔');
    expect(sign({ LANG: 'C' })).toBe('+');
    expect(sign({ LC_ALL: 'POSIX', LANG: 'de_DE.UTF-8' })).toBe('+');
    expect(sign({ TERM: 'linux' })).toBe('+');
  });
});

describe('the command line', () => {
  it('has defaults', () => {
    expect(readArguments([])).toEqual({
      goal: null,
      project: null,
      isScripted: false,
      structuredOutputs: 'schema',
      limitMs: 600_000,
      isKept: false,
      isPlain: false,
      hasColor: true,
      columns: null,
      paceMs: null,
    });
  });

  it('is parsed', () => {
    const options = readArguments(
      '--goal g --project p --scripted --json-mode --minutes 3 --keep --plain --no-color --width 44 --pace 0'.split(
        ' ',
      ),
    );
    expect(options).toMatchObject({ goal: 'g', project: 'p', isScripted: true, isKept: true });
    expect(options).toMatchObject({ structuredOutputs: 'json', limitMs: 180_000, isPlain: true });
    expect(options).toMatchObject({ hasColor: false, columns: 44, paceMs: 0 });
    expect(readArguments(['--help', '--keep'])).toBeNull();
    expect(readArguments(['-h'])).toBeNull();
  });

  it.each([
    [['--width', '39'], "from 40 to 500 for --width, got '39'"],
    [['--width', '4e2'], "for --width, got '4e2'"],
    [['--minutes', '0'], "from 1 to 120 for --minutes, got '0'"],
    [['--pace=-1'], "for --pace, got '-1'"],
    [['--goal', ' '], 'Expected a text for --goal'],
    [['--wdth', '80'], '--wdth'],
    [['now'], 'now'],
    [['--width'], '--width'],
  ])('refuses %j', (values, message) => {
    expect(() => readArguments(values)).toThrow(UsageError);
    expect(() => readArguments(values)).toThrow(message);
  });

  it('names every option in the help', () => {
    const named = [...HELP.matchAll(/--(?<name>[a-z-]+)/g)].map(({ groups }) => groups?.['name']);
    const known = 'goal project scripted json-mode minutes keep plain no-color width pace help';
    expect([...new Set(named)].sort()).toEqual([...known.split(' '), 'test'].sort());
  });

  it.each([
    [['--goal', 'Something else'], {}, '--goal needs a model'],
    [['--project', '.'], {}, '--project needs a model'],
    [['--project', '.', '--scripted'], { OPENAI_API_KEY: 'k' }, '--project needs a model'],
    [['--project', './nowhere'], { OPENAI_API_KEY: 'k' }, "--project, got './nowhere'"],
    [[], { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' }, 'OPENAI_MODEL'],
  ])('must match the environment: %j %j', async (values, environment, message) => {
    const options = readArguments(values)!;
    const { signal } = new AbortController();
    const running = runSession(options, {
      output: process.stdout,
      environment,
      interruption: { signal, exitCode: () => null },
      atExit: () => undefined,
    });
    await expect(running).rejects.toThrow(UsageError);
    await expect(running).rejects.toThrow(message);
  });

  it(
    'exits with 2 and a message when it is wrong',
    async () => {
      const demo = startDemo(['--width', 'wide']);
      expect(await demo.exitCode).toBe(2);
      expect(demo.output()).toBe('');
      expect(demo.errorOutput()).toBe(
        "Expected a whole number from 40 to 500 for --width, got 'wide'\nTry: npm start -- --help\n",
      );
    },
    DEMO_TIMEOUT_MS,
  );
});

describe('the model', () => {
  it('is scripted without a key, and on request', async () => {
    expect(hasModel({ OPENAI_API_KEY: ' ' })).toBe(false);
    for (const [environment, isScripted] of [
      [{}, false],
      [{ OPENAI_API_KEY: 'k' }, true],
    ] as const) {
      const model = await openModel(environment, { isScripted, paceMs: 0 });
      expect(model.isScripted).toBe(true);
      expect(model.connection.baseURL).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
      await model.close();
    }
  });

  it('is read from the environment', async () => {
    const open = (environment: Record<string, string>) =>
      openModel(environment, { isScripted: false, paceMs: 0 });
    expect(await open({ OPENAI_API_KEY: 'k' })).toMatchObject({
      isScripted: false,
      connection: { apiKey: 'k', model: 'gpt-5-mini' },
    });
    expect(
      await open({ OPENAI_BASE_URL: 'http://localhost:11434/v1', OPENAI_MODEL: 'local' }),
    ).toMatchObject({
      title: 'local at localhost:11434',
      connection: { baseURL: 'http://localhost:11434/v1', model: 'local', apiKey: 'none-needed' },
    });
    expect(() => open({ OPENAI_BASE_URL: 'nowhere', OPENAI_MODEL: 'm' })).toThrow('Expected a URL');
  });
});

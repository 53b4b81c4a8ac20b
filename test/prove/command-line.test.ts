import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { run } from '../../src/cli/run.js';

let directory = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'planwright-prove-'));
});

afterAll(async () => {
  await rm(directory, { recursive: true });
});

const called = async (...args: string[]) => {
  const printed: string[] = [];
  const warned: string[] = [];
  const code = await run(args, {
    print: (text) => printed.push(text),
    warn: (text) => warned.push(text),
  });
  return { code, printed: printed.join('\n'), warned: warned.join('\n') };
};

const module = async (name: string, source: string): Promise<string> => {
  const path = join(directory, name);
  await writeFile(path, source);
  return path;
};

describe('planwright prove', () => {
  it('prints the bounds of a preset, the path to each maximum, and the coverage of the charts', async () => {
    const { code, printed } = await called('prove', 'planAndExecute', '--steps', '1');
    expect(code).toBe(0);
    expect(printed).toMatch(/^PROVED/);
    expect(printed).toMatch(/agent calls +24 +24/);
    expect(printed).toContain('Path to the maximum of 6 approvals:');
    expect(printed).toContain('A person unpauses the run');
    expect(printed).toMatch(/^orchestrator: \d+ of \d+ states, \d+ of \d+ transitions$/m);
    expect(printed).toMatch(/^agentCall: 9 of 10 states, \d+ of \d+ transitions$/m);
  });

  it('prints JSON that can be parsed', async () => {
    const { printed } = await called('prove', 'fixed', '--steps', '1', '--json');
    expect(JSON.parse(printed)).toMatchObject({ isProved: true, planSteps: 1 });
  });

  it.each([
    [['prove', 'supervized'], "There is no preset 'supervized'. Did you mean supervised?"],
    [['prove', 'nobody'], "There is no preset 'nobody'. The presets are collaborative"],
    [['prove', './nowhere.js'], `There is no file ${join(process.cwd(), 'nowhere.js')}`],
    [['prove'], 'Name one preset or module'],
    [['disprove', 'fixed'], "Unknown command 'disprove'"],
    [[], 'There is no command: try `planwright prove boundedReplan`'],
    [['prove', 'fixed', '--steps', '0'], '--steps must be a whole number from 1 to 8'],
    [['prove', 'fixed', '--stesp', '2'], 'Unknown option --stesp: did you mean --steps?'],
    [['prove', 'fixed', '--sing'], 'Unknown option --sing'],
    [['prove', 'fixed', '--html'], "--html <value>' argument missing"],
    [['prove', 'fixed', '--agents', ','], 'Expected at least one agent'],
    [['prove', 'fixed', '--html', '/no/such/place.html'], 'there is no folder /no/such'],
    [['prove', 'fixed', '--html', tmpdir()], 'that is a folder, name a file in it'],
  ])('says what to do about %j, and exits with 2', async (args, message) => {
    const { code, printed, warned } = await called(...args);
    expect(code).toBe(2);
    expect(printed).toBe('');
    expect(warned).toContain(message);
    expect(warned).toContain('planwright --help');
  });

  it.each([
    ['throws.mjs', "throw new Error('Not today');", 'cannot be loaded as a module: Not today'],
    ['empty.mjs', 'export const limits = {};', 'exports limits and no policy: export one as'],
    [
      'invalid.mjs',
      "export const policy = { limits: { maxReplans: -1, maxSteps: 'many' }, gate: {} };",
      'The policy is invalid',
    ],
  ])('reports the mistake in the module %s', async (name, source, message) => {
    const { code, warned } = await called('prove', await module(name, source));
    expect(code).toBe(2);
    expect(warned).toContain(name);
    expect(warned).toContain(message);
  });

  it('reports all mistakes in a policy at once', async () => {
    const { warned } = await called('prove', join(directory, 'invalid.mjs'));
    for (const place of ['limits.maxReplans', 'limits.maxSteps', 'gate']) {
      expect(warned).toContain(place);
    }
  });

  it('proves the policy of a module, and writes a self-contained page', async () => {
    const page = join(directory, 'proof.html');
    const limits = '{ maxReplans: 0, maxDepth: 0, maxAttempts: 1 }';
    const source = `export const policy = { limits: ${limits}, retry: { attempts: 1 } };`;
    const path = await module('policy.mjs', source);
    const { code } = await called('prove', path, '--steps', '1', '--html', page);
    expect(code).toBe(0);
    const html = await readFile(page, 'utf8');
    expect(html).toContain('<span class="verdict good">proved</span>');
    expect(html.match(/<svg/g)).toHaveLength(5);
    expect(html).not.toMatch(/(?:src|href)="(?!#)/);
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    // Without a supervisor no plan is reviewed; plans are made.
    const marked = [...html.matchAll(/data-state="([^"]*)"[^>]* data-unreached=""/g)].map(
      ([, state]) => state,
    );
    expect(marked).toContain('orchestrator.active.work.planning.reviewingPlan');
    expect(marked).not.toContain('orchestrator.active.work.planning');
    expect(html).toContain('data-source="orchestrator.active.work.planning.planDecision"');
  });
});

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

describe('planwright prove', () => {
  it('prints the price tag of a preset, and how each maximum is reached', async () => {
    const { code, printed } = await called('prove', 'planAndExecute', '--steps', '1');
    expect(code).toBe(0);
    expect(printed).toMatch(/^PROVED/);
    expect(printed).toMatch(/calls of anybody +24 +24/);
    expect(printed).toContain('How questions to people come to 6:');
    expect(printed).toContain('A person resumes the run');
  });

  it('proves the policy of a module, and writes a page that needs nothing else', async () => {
    const module = join(directory, 'policy.mjs');
    const page = join(directory, 'proof.html');
    const limits = '{ maxReplans: 0, maxDepth: 0, maxAttempts: 1 }';
    await writeFile(module, `export const policy = { limits: ${limits}, retry: { attempts: 1 } };`);
    const { code } = await called('prove', module, '--steps', '1', '--html', page);
    expect(code).toBe(0);
    const html = await readFile(page, 'utf8');
    expect(html).toContain('<span class="good">proved</span>');
    expect(html.match(/<svg/g)).toHaveLength(4);
    expect(html).not.toMatch(/(?:src|href)="(?!#)/);
  });

  it('prints JSON that can be read again', async () => {
    const { printed } = await called('prove', 'fixed', '--steps', '1', '--json');
    expect(JSON.parse(printed)).toMatchObject({ isProved: true, planSteps: 1 });
  });

  it.each([
    [['prove', 'nobody'], "'nobody' is no preset (collaborative"],
    [['prove'], 'Name one preset or module'],
    [['disprove', 'fixed'], "Unknown command 'disprove'"],
    [['prove', 'fixed', '--steps', '0'], '--steps must be a whole number from 1 to 8'],
    [['prove', 'fixed', '--sing'], '--sing'],
    [['prove', 'fixed', '--agents', ','], 'Expected at least one agent'],
  ])('says what to do about %j, and ends with 2', async (args, message) => {
    const { code, warned } = await called(...args);
    expect(code).toBe(2);
    expect(warned).toContain(message);
  });
});

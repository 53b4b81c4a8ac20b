import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { patienceMs, printedByNode } from './command.js';
import { temporaryFolder } from './consumer.js';
import { entries, root } from './manifest.js';
import { packInto } from './pack.js';

vi.setConfig({ testTimeout: patienceMs, hookTimeout: patienceMs });

describe('the packed tarball', () => {
  const { folder, dispose } = temporaryFolder();
  let tarball: string;

  beforeAll(async () => {
    tarball = await packInto(folder);
  });
  afterAll(dispose);

  it('passes publint without suggestions', async () => {
    const { buffer } = new Uint8Array(readFileSync(tarball));
    const { messages, pkg } = await publint({ pack: { tarball: buffer }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
    expect(pkg['name']).toBe('planwright');
  });

  it('has types that match its code at every entry point, for every way to import it as a module', async () => {
    const attw = join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js');
    const options = ['--profile', 'esm-only', '--no-definitely-typed', '--format', 'ascii'];
    // A problem makes it exit with 1, which fails here with its whole output.
    const printed = await printedByNode(attw, [tarball, ...options, '--no-color'], folder);
    for (const { specifier } of entries) expect(printed).toContain(`"${specifier}"`);
  });
});

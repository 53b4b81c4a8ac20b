import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { patienceMs } from '../package/command.js';
import { allPeers, entriesWithoutNode as entries } from '../package/manifest.js';
import type { ExportCounts, Stories } from './front-end.js';
import { createFrontEnd, printSize } from './front-end.js';
import { runByKernel, runByXState } from './scenario.js';
import type { WorkerdBundle } from './workerd-bundle.js';
import { bundleForWorkerd } from './workerd-bundle.js';
import { loadWorker } from './workerd-context.js';

vi.setConfig({ testTimeout: patienceMs, hookTimeout: patienceMs });

describe('bundled for workerd by esbuild', () => {
  const project = createFrontEnd();
  let scenario: WorkerdBundle;
  let everything: WorkerdBundle;

  beforeAll(async () => {
    await project.installLinked(allPeers);
    scenario = await bundleForWorkerd(project, 'stories.ts');
    everything = await bundleForWorkerd(project, 'entries.ts');
    printSize('A worker with one scenario (esbuild)', scenario.code);
    printSize('A worker with every entry point (esbuild)', everything.code);
  });
  afterAll(project.dispose);

  it('imports nothing of Node', () => {
    expect(scenario.imports).toEqual([]);
    expect(everything.imports).toEqual([]);
  });

  it('would be detected if it did', async () => {
    project.write('asking.ts', `import { cwd } from 'node:process';\nexport const show = cwd;\n`);
    await expect(bundleForWorkerd(project, 'asking.ts')).rejects.toThrow('node:process');
    // Failures are left to run time.
    const trying = `export const show = () => import('node:process').catch(() => null);\n`;
    project.write('trying.ts', trying);
    const { imports } = await bundleForWorkerd(project, 'trying.ts');
    expect(imports).toEqual(['node:process']);
  });

  it('runs a goal without Node, by the kernel and with plain createActor', async () => {
    const { byKernel, byXState } = (await answerOf(scenario)) as Stories;
    expect(byKernel.report).toMatchObject({ status: 'completed', reason: 'goal-achieved' });
    expect(byKernel).toEqual(await runByKernel());
    expect(byXState).toEqual(await runByXState());
  });

  it('loads every entry point that does not need Node', async () => {
    const counts = (await answerOf(everything)) as ExportCounts;
    expect(Object.keys(counts)).toEqual(entries.map(({ specifier }) => specifier));
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(0);
  });

  it.each([
    ['waits', 'setTimeout(() => {}, 0)', 'Disallowed operation'],
    ['rolls dice', 'crypto.randomUUID()', 'Disallowed operation'],
    ['makes code', `new Function('return 1')()`, 'Code generation from strings disallowed'],
    ['asks for the process', 'process.version', 'process is not defined'],
  ])('would be detected if it %s while it is loaded', async (_, statement, message) => {
    const worker = `${statement}; export default { fetch: async () => new Response() };`;
    await expect(loadWorker(worker)).rejects.toThrow(message);
  });
});

const answerOf = async ({ code }: WorkerdBundle): Promise<unknown> => {
  const worker = await loadWorker(code);
  const response = await worker.fetch(new Request('http://worker/'));
  return response.json();
};

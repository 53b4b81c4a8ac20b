import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { patienceMs } from '../package/command.js';
import { allPeers, entriesWithoutNode as entries } from '../package/manifest.js';
import { isBrowserMissed, launchChromium } from './chromium.js';
import type { ExportCounts, Stories } from './front-end.js';
import { createFrontEnd, printSize } from './front-end.js';
import { runByKernel, runByXState } from './scenario.js';
import { serveFolder } from './static-server.js';
import type { ViteBundle } from './vite-bundle.js';
import { bundleForBrowser } from './vite-bundle.js';

vi.setConfig({ testTimeout: patienceMs, hookTimeout: patienceMs });

describe('bundled for the browser by Vite', () => {
  const project = createFrontEnd();
  let scenario: ViteBundle;
  let everything: ViteBundle;

  beforeAll(async () => {
    await project.installLinked(allPeers);
    scenario = await bundleForBrowser(project, 'stories.ts');
    everything = await bundleForBrowser(project, 'entries.ts');
    printSize('A page with one scenario (Vite)', scenario.code);
    printSize('A page with every entry point (Vite)', everything.code);
  });
  afterAll(project.dispose);

  it('imports nothing of Node', () => {
    for (const bundle of [scenario, everything]) {
      expect(bundle.nodeModules).toEqual([]);
      expect(bundle.imports).toEqual([]);
      expect(bundle.warnings).toEqual([]);
    }
  });

  it('would be detected if it did', async () => {
    project.write('asking.ts', `import { cwd } from 'node:process';\nexport const show = cwd;\n`);
    const { nodeModules, warnings } = await bundleForBrowser(project, 'asking.ts');
    expect(nodeModules).toHaveLength(1);
    expect(warnings).toEqual([expect.stringContaining('node:process')]);
  });

  describe.skipIf(isBrowserMissed)('in headless Chromium', () => {
    let browser: Browser;

    beforeAll(async () => {
      browser = await launchChromium();
      return () => browser.close();
    });

    it('runs a supervised goal by the kernel and with plain createActor, as Node does', async () => {
      const { shown, complaints } = await visit(browser, scenario);
      expect(complaints).toEqual([]);
      const { byKernel, byXState } = shown as Stories;
      expect(byKernel).toMatchObject({
        report: {
          status: 'completed',
          reason: 'goal-achieved',
          summary: 'parse, fixed; print, first draft',
          successfulSteps: ['parse', 'print'],
          replans: 1,
        },
        fixCycles: 1,
      });
      expect(byXState).toMatchObject({ status: 'completed', reason: 'goal-achieved' });
      expect(byKernel).toEqual(await runByKernel());
      expect(byXState).toEqual(await runByXState());
    });

    it('loads every entry point that does not need Node', async () => {
      const { shown, complaints } = await visit(browser, everything);
      expect(complaints).toEqual([]);
      const counts = shown as ExportCounts;
      expect(Object.keys(counts)).toEqual(entries.map(({ specifier }) => specifier));
      expect(Math.min(...Object.values(counts))).toBeGreaterThan(0);
    });

    it('would be detected if it logged an error', async () => {
      const show = `export const show = async () => {
          console.error('An error of the page');
          await fetch('./missing.js');
          await new Promise((resolve) => setTimeout(() => {
            setTimeout(resolve);
            throw new Error('Uncaught on purpose');
          }));
          return 'shown';
        };`;
      project.write('complaining.ts', show);
      const bundle = await bundleForBrowser(project, 'complaining.ts');
      const { shown, complaints } = await visit(browser, bundle);
      expect(shown).toBe('shown');
      expect(complaints).toContain('console error: An error of the page');
      expect(complaints).toContain('page error: Uncaught on purpose');
      expect(complaints.join('\n')).toMatch(/404/);
    });
  });
});

interface Visit {
  /** The content of the page's `output` element. */
  readonly shown: unknown;
  /** Errors and warnings on the console, uncaught exceptions, and files that could not be loaded. */
  readonly complaints: readonly string[];
}

const visit = async (browser: Browser, bundle: ViteBundle): Promise<Visit> => {
  const server = await serveFolder(bundle.folder);
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) {
      complaints.push(`console ${message.type()}: ${message.text()}`);
    }
  });
  page.on('pageerror', (error) => complaints.push(`page error: ${error.message}`));
  page.on('requestfailed', (request) => complaints.push(`not loaded: ${request.url()}`));
  try {
    await page.goto(server.url, { timeout: patienceMs });
    const output = page.locator('output:not(:empty)');
    // An error in the page is a better message than a missing output.
    await output.waitFor({ timeout: 120_000 }).catch(() => undefined);
    const text = (await output.count()) === 0 ? 'null' : await output.textContent();
    return { shown: JSON.parse(text ?? 'null'), complaints };
  } finally {
    await page.close();
    await server.close();
  }
};

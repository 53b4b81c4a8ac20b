import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { indexedDbStore } from '../../../src/services/stores/indexed-db/index.js';
import { isBrowserMissed, launchChromium } from '../../bundle/chromium.js';
import type { StaticServer } from '../../bundle/static-server.js';
import type { page as pageFunctions } from './page.js';
import { servePage } from './page-server.js';

type PageFunctions = typeof pageFunctions;

/**
 * Ten thousand browser transactions take half a minute, so nearly all waiting commands are there before the test
 * begins.
 */
const tooSlow = 'inbox: holds ten thousand commands and refuses the next one';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

describe.skipIf(isBrowserMissed)('indexedDbStore in headless Chromium', () => {
  let server: StaticServer;
  let browser: Browser;
  let context: BrowserContext;
  let tab: Page;

  beforeAll(async () => {
    server = await servePage('page.ts');
    browser = await launchChromium();
    context = await browser.newContext();
    tab = await newTab();
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  const newTab = async (): Promise<Page> => {
    const opened = await context.newPage();
    await opened.goto(server.url);
    await opened.waitForFunction('globalThis.page !== undefined');
    return opened;
  };

  /** Calls one of the functions of page.ts inside a tab. */
  const ask = <Name extends keyof PageFunctions>(
    where: Page,
    name: Name,
    ...args: Parameters<PageFunctions[Name]>
  ): Promise<Awaited<ReturnType<PageFunctions[Name]>>> =>
    where.evaluate(`page.${name}(...${JSON.stringify(args)})`);

  it('keeps the contract of a store', async () => {
    const names = await ask(tab, 'caseNames');
    expect(names.length).toBeGreaterThan(40);
    expect(names).toContain(tooSlow);
    const failures: unknown[] = [];
    for (const name of names.filter((each) => each !== tooSlow)) {
      const failure = await ask(tab, 'failureOf', name);
      if (failure !== undefined) failures.push([name, failure]);
    }
    expect(failures).toEqual([]);
  });

  it('refuses a command when ten thousand are waiting', async () => {
    expect(await ask(tab, 'fillInbox', 'full')).toEqual([
      'inbox-full',
      'kept',
      'kept',
      'inbox-full',
    ]);
  });

  it('keeps a run that continues after a reload of the page, and repeats no call', async () => {
    expect(await ask(tab, 'beginRun', 'reloaded')).toEqual(['run/one/1/worker.q1']);
    await tab.reload();
    await tab.waitForFunction('globalThis.page !== undefined');
    expect(await ask(tab, 'finishRun', 'reloaded')).toEqual({
      status: 'completed',
      successfulSteps: ['one', 'two'],
      calls: ['run/two/1/worker.q1'],
    });
  });

  it('refuses a run id that is in use, and lets a second orchestrator follow and list the run', async () => {
    expect(await ask(tab, 'followRun', 'followed')).toEqual({
      refused: 'run-conflict',
      status: 'completed',
      isFinal: true,
      hasAll: true,
      listed: ['run'],
    });
  });

  it('gives every run to exactly one of two tabs that claim it', async () => {
    const other = await newTab();
    const count = 100;
    const wins = await Promise.all([
      ask(tab, 'claimAll', 'raced', 'one', count),
      ask(other, 'claimAll', 'raced', 'two', count),
    ]);
    const won = wins.flat().sort((left, right) => left - right);
    expect(won).toEqual(Array.from({ length: count }, (_item, index) => index));
    await other.close();
  });

  it('refuses a database of a later version, and one of another program', async () => {
    expect(await ask(tab, 'openOther', 'newer')).toBe('newer');
    expect(await ask(tab, 'openOther', 'foreign')).toBe('foreign');
  });
});

describe('indexedDbStore without IndexedDB', () => {
  it('throws when it is used, and refuses an invalid name', async () => {
    const store = indexedDbStore({ name: 'runs' });
    await expect(store.read('run')).rejects.toMatchObject({ code: 'store-unavailable' });
    await store.close?.();
    expect(() => indexedDbStore({ name: '' })).toThrow('name');
  });
});

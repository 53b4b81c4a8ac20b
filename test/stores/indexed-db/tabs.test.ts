import type { Browser, BrowserContext, Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

import { isBrowserMissed, launchChromium } from '../../bundle/chromium.js';
import type { StaticServer } from '../../bundle/static-server.js';
import { servePage } from './page-server.js';
import type { page as pageFunctions } from './tabs-page.js';

type PageFunctions = typeof pageFunctions;

/* The lease of tabs-page.ts is ten times as long: a run that waits for the end of a lease is too late. */
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

describe.skipIf(isBrowserMissed)('runs in the tabs of Chromium', () => {
  let server: StaticServer;
  let browser: Browser;
  let context: BrowserContext;

  beforeAll(async () => {
    server = await servePage('tabs-page.ts');
    browser = await launchChromium();
    return async () => {
      await browser.close();
      await server.close();
    };
  });
  beforeEach(async () => {
    context = await browser.newContext();
    context.setDefaultTimeout(60_000);
    return () => context.close();
  });

  const opened = (tab: Page): Promise<unknown> =>
    tab.waitForFunction('globalThis.page !== undefined');

  const openTab = async (): Promise<Page> => {
    const tab = await context.newPage();
    await tab.goto(server.url);
    await opened(tab);
    return tab;
  };

  const ask = <Name extends keyof PageFunctions>(
    where: Page,
    name: Name,
    ...args: Parameters<PageFunctions[Name]>
  ): Promise<Awaited<ReturnType<PageFunctions[Name]>>> =>
    where.evaluate(`page.${name}(...${JSON.stringify(args)})`);

  const untilCalled = (tab: Page, key: string): Promise<unknown> =>
    tab.waitForFunction(`page.calls().includes('${key}')`);

  it('continues a run after each of ten reloads, and counts none of them as a takeover', async () => {
    const tab = await openTab();
    await ask(tab, 'start', 'run');
    await untilCalled(tab, 'run/slow/1/worker');
    for (let reload = 1; reload <= 10; reload += 1) {
      await tab.reload();
      await opened(tab);
      await untilCalled(tab, 'run/slow/1/worker');
      expect(await ask(tab, 'calls')).toEqual(['run/slow/1/worker']);
    }
    // Six takeovers with the same call in flight end a run: `limits.maxRecoveries` is 5.
    expect(await ask(tab, 'finish', 'run')).toMatchObject({
      status: 'completed',
      successfulSteps: ['quick', 'slow'],
      takeovers: 0,
    });
  });

  it('continues the runs of a closed tab in another tab, and not before', async () => {
    const first = await openTab();
    const second = await openTab();
    for (const runId of ['one', 'two']) {
      await ask(first, 'start', runId);
      await untilCalled(first, `${runId}/slow/1/worker`);
    }
    expect(await ask(second, 'recover')).toEqual([]);
    expect(await ask(second, 'isPending', 'one')).toBe(false);
    // A browser delays the timers of a hidden tab, and so its renewals: the open tab keeps its runs.
    expect(await ask(second, 'afterLeases', 'one')).toEqual({ claimable: [] });
    expect(await ask(second, 'calls')).toEqual([]);

    await first.close();
    for (const runId of ['one', 'two']) await untilCalled(second, `${runId}/slow/1/worker`);
    expect(await ask(second, 'calls')).toHaveLength(2);
    for (const runId of ['one', 'two'])
      expect(await ask(second, 'finish', runId)).toMatchObject({
        status: 'completed',
        takeovers: 0,
      });
  });

  it('continues the run of a killed tab in another tab', async () => {
    const killed = await openTab();
    await ask(killed, 'start', 'run');
    await untilCalled(killed, 'run/slow/1/worker');
    const other = await openTab();
    expect(await ask(other, 'calls')).toEqual([]);

    const crashed = killed.waitForEvent('crash');
    const session = await context.newCDPSession(killed);
    session.send('Page.crash').catch(() => undefined);
    await crashed;
    await untilCalled(other, 'run/slow/1/worker');
    expect(await ask(other, 'finish', 'run')).toMatchObject({ status: 'completed', takeovers: 0 });
  });

  it('says of a command to the run of a closed tab that it waits for the next owner', async () => {
    const tab = await openTab();
    await ask(tab, 'start', 'run');
    await untilCalled(tab, 'run/slow/1/worker');
    await tab.close();
    const other = await context.newPage();
    await other.goto(`${server.url}?idle`);
    await opened(other);
    expect(await ask(other, 'isPending', 'run')).toBe(true);
  });

  it('waits for the end of the lease in a browser without Web Locks', async () => {
    await context.addInitScript(
      `Object.defineProperty(Navigator.prototype, 'locks', { get: () => undefined })`,
    );
    const tab = await openTab();
    await ask(tab, 'start', 'run');
    await untilCalled(tab, 'run/slow/1/worker');
    await tab.reload();
    await opened(tab);
    expect(await ask(tab, 'recover')).toEqual([]);
    expect(await ask(tab, 'calls')).toEqual([]);
    expect(await ask(tab, 'afterLeases', 'run')).toMatchObject({
      claimable: [{ runId: 'run' }],
      claim: { isTakeover: true },
    });
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';

import { describe, expect, it, vi } from 'vitest';

import { expectNoLeaks, openedSince, watchTimers } from './no-leaks.js';

expectNoLeaks();

describe('the leak detector', () => {
  it('is used by every file of this folder', () => {
    const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.ts'));
    const unwatched = files.filter(
      (name) =>
        !readFileSync(`${import.meta.dirname}/${name}`, 'utf8').includes('\nexpectNoLeaks();\n'),
    );
    expect(unwatched).toEqual([]);
  });

  it('reports a timer until it has fired', async () => {
    const timers = watchTimers();
    const fired = new Promise((resolve) => setTimeout(resolve, 1));
    expect(timers.armed()).toBe(1);
    await fired;
    expect(timers.armed()).toBe(0);
    timers.release();
  });

  it('reports a timer and an interval until they are cleared, even after the watch ended', () => {
    const timers = watchTimers();
    const timeout = setTimeout(() => undefined, 60_000);
    const interval = setInterval(() => undefined, 60_000);
    const { clearTimeout, clearInterval } = globalThis;
    timers.release();
    expect(timers.armed()).toBe(2);
    clearTimeout(timeout);
    clearInterval(interval);
    expect(timers.armed()).toBe(0);
  });

  it('reports a handle until it is closed, and distinguishes two of a kind', async () => {
    const before = process.getActiveResourcesInfo();
    const servers = [createServer(), createServer()];
    for (const server of servers) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    }
    expect(openedSince(before)).toEqual(['TCPServerWrap', 'TCPServerWrap']);
    for (const server of servers) server.close();
    await vi.waitFor(() => {
      expect(openedSince(before)).toEqual([]);
    });
  });
});

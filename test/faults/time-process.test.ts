import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { expectNoLeaks } from './no-leaks.js';
import type { LeakReport } from './time-leak-process.js';
import { runProcess, startProcess } from './time-own-process.js';
import type { SuspendedReport } from './time-suspended-process.js';

expectNoLeaks();

/* In processes of their own: one is stopped and continued, one is measured. */

describe('a process that is suspended', () => {
  it('fires each timer at most once after it continues, in order, and keeps its limits', async () => {
    const { child, messages, ended } = startProcess(
      new URL('./time-suspended-process.ts', import.meta.url),
    );
    const log: unknown[] = [];
    try {
      for await (const message of messages) {
        log.push(message);
        if (message !== 'stopping') continue;
        await sleep(5_000);
        log.push('woken');
        child.kill('SIGCONT');
      }
    } finally {
      // In every case: a stopped process would never end by itself.
      child.kill('SIGKILL');
    }
    expect(await ended).toBe(0);

    const report = log.at(-1) as SuspendedReport;
    expect(report).toMatchObject({
      status: 'timeExpired',
      mostFirings: 1,
      firedAfterClearing: 0,
      timersLeft: 0,
      isTimeInOrder: true,
      violations: [],
    });
    expect(report.armedTimers).toBeGreaterThanOrEqual(4);
    // Timers that were due during the stop all fire when it continues, once, in the order in which they were due.
    const awake = log.slice(log.indexOf('woken') + 1);
    expect(log[log.indexOf('woken') - 1]).toBe('stopping');
    expect(awake.filter((type) => DUE.includes(type as string))).toEqual(DUE);
    expect(log.filter((type) => DUE.includes(type as string))).toEqual(DUE);
    // The limit holds: no call is made and no step starts any more.
    expect(awake.filter((type) => type === 'agent.called' || type === 'step.started')).toEqual([]);
  }, 60_000);
});

const DUE = [
  'agent.failed',
  'approval.expired',
  'time.executionClosed',
  'time.expired',
  'run.ended',
];

describe('a long-lived process', () => {
  it('keeps no timer of ten thousand runs, and its heap does not grow', async () => {
    const [message] = await runProcess(new URL('./time-leak-process.ts', import.meta.url));
    const report = message as LeakReport;
    expect(report.statuses).toEqual({ completed: 5_000, aborted: 5_000 });
    expect(report.mostTimers).toBeGreaterThan(0);
    expect(report.timersLeft).toBe(0);
    expect(report.heapGrowthPercent).toBeLessThan(5);
  }, 300_000);
});

/*
 * A run with a timer of every kind, on the real clock. The process stops itself as soon as all timers are armed,
 * because on a busy machine a signal from outside may arrive too late. Prints every fact as a line of JSON, and at
 * the end how often its timers fired.
 */
import { writeSync } from 'node:fs';

import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { Clock } from '../../src/services/clock.js';
import { systemClock } from '../../src/services/clock.js';
import { checkInvariants } from '../../src/testing/invariants/check-invariants.js';
import { agentNamed, steps } from '../scenarios/team.js';

export interface SuspendedReport {
  readonly status: string;
  readonly reason: string;
  readonly armedTimers: number;
  /** The most often that one of them fired. */
  readonly mostFirings: number;
  readonly firedAfterClearing: number;
  readonly timersLeft: number;
  readonly isTimeInOrder: boolean;
  readonly violations: readonly string[];
}

interface Watched {
  handle: unknown;
  firings: number;
  isCleared: boolean;
}

const timers: Watched[] = [];
let firedAfterClearing = 0;

const watched = (clock: Clock): Clock => ({
  now: () => clock.now(),
  setTimeout: (callback, delayMs) => {
    const timer: Watched = { handle: undefined, firings: 0, isCleared: false };
    timer.handle = clock.setTimeout(() => {
      timer.firings += 1;
      if (timer.isCleared) firedAfterClearing += 1;
      callback();
    }, delayMs);
    timers.push(timer);
    return timer;
  },
  clearTimeout: (handle) => {
    const timer = handle as Watched;
    timer.isCleared = true;
    clock.clearTimeout(timer.handle);
  },
});

const say = (message: unknown): void => {
  writeSync(1, `${JSON.stringify(message)}\n`);
};

/** Everything is due before the five seconds of the stop are over; see the test. */
const orchestrator = composeOrchestrator(
  {
    agents: [
      agentNamed('worker', () => new Promise(() => undefined)),
      agentNamed('architect', () => 'never asked'),
    ],
    clock: watched(systemClock()),
    policy: definePolicy({
      limits: { maxParallel: 2 },
      time: { limitMs: 4_000, planningMs: 1, verificationMs: 1, graceMs: 0, stepTimeoutMs: 2_000 },
      retry: { attempts: 1 },
      approval: { agents: ['architect'], timeoutMs: 3_000, onReject: 'skip' },
      failure: { onStepFailure: 'continue' },
    }),
  },
  undefined,
);
let downtimeMs = 0;
const run = orchestrator.start({
  goal: 'The goal',
  runId: 'run',
  plan: { steps: steps('a', 'architect:b', 'c') },
});
run.subscribe(({ type }) => {
  say(type);
  if (type !== 'approval.requested') return;
  // Facts are delivered before their timers are armed, so wait for the next turn.
  setImmediate(() => {
    // So that the last step is still open when the limit fires.
    void run.pause();
    say('stopping');
    const stoppedAtMs = Date.now();
    process.kill(process.pid, 'SIGSTOP');
    downtimeMs = Date.now() - stoppedAtMs;
  });
});
const { status, reason } = await run.done;
const facts = run.journal().flatMap((entry) => entry.facts);
const report: SuspendedReport = {
  status,
  reason,
  armedTimers: timers.length,
  mostFirings: Math.max(...timers.map(({ firings }) => firings)),
  firedAfterClearing,
  timersLeft: process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length,
  isTimeInOrder: facts.every(({ at }, index) => at >= (facts[index - 1]?.at ?? at)),
  // Part of the measured time was not spent by the run.
  violations: checkInvariants(facts, {
    policy: orchestrator.policy,
    bounds: orchestrator.bounds(),
    downtimeMs,
  }).map(({ message }) => message),
};
say(report);
// A leaked timer would keep the process, and with it the test, waiting.
process.exit();

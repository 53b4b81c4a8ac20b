import type { RunReport } from '../../journal/report.js';
import type { Life } from './life.js';
import type { Environment } from './environment.js';
import { callsLeft } from './world-checks.js';
import { STORE_RETRY_MS } from './world.js';

const TAKEN_OVER = 'taken-over: ';
const NOT_STARTED = 'not-started: ';

/** The process gave the run up, which does not end the run. */
export const isLoss = ({ status, reason }: RunReport): boolean =>
  status === 'detached' || reason.startsWith(NOT_STARTED);

/** A process that gives a run up has a reason for it, and leaves no timer or call behind. */
export const checkLoss = (environment: Environment, life: Life, { reason }: RunReport): void => {
  const { truth } = environment;
  if (reason.startsWith(TAKEN_OVER)) {
    const message = `life ${life.number} reports a takeover, but has the latest claim`;
    environment.expect(truth.token !== life.writing?.token, 'report-true', message);
  } else if (!reason.startsWith(NOT_STARTED)) checkPatience(environment, life, reason);
  if (!environment.world.hasFleet) {
    const timers = life.timerCount;
    environment.expect(timers === 0, 'nothing-left', `${timers} timers are left without a store`);
  }
  const calls = callsLeft(environment, life);
  environment.expect(
    calls.length === 0,
    'nothing-left',
    `${calls.join(', ')} left without a store`,
  );
};

/** The store was retried for the whole retry window. */
const checkPatience = (environment: Environment, life: Life, reason: string): void => {
  const now = life.clock.now();
  const waitedMs = Math.max(0, ...life.failures.map(({ atMs }) => now - atMs));
  const isPatient = waitedMs >= STORE_RETRY_MS;
  const message = `life ${life.number} gives the run up after ${waitedMs} ms: ${reason}`;
  environment.expect(isPatient, 'outages-survived', message);
};

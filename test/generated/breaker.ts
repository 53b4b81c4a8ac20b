import type { BreakerContext, BreakerEvent } from '../../src/machines/breaker/chart.js';
import type { Configuration, Told } from './configuration.js';

const say = (says: string, event: BreakerEvent): Told => ({ says, event });

const told: readonly Told[] = [
  say('a call requests a permit', { type: 'permit.requested', route: ['agentCall', 'slot-0'] }),
  say('a call succeeds', { type: 'call.succeeded' }),
  say('a call fails', { type: 'call.failed' }),
];

const configuration = (name: string, failureLimit: number): Configuration => ({
  name,
  input: { agent: 'coder', failureLimit, cooldownMs: 100 },
  told: () => told,
  outcomes: () => [],
  project: ({ context }) => (context as BreakerContext).failures,
});

export const breakerConfigurations: readonly Configuration[] = [
  configuration('opens at once', 1),
  configuration('opens after two failures in a row', 2),
];

import { assign, emit, sendTo, setup } from 'xstate';

import { hasReachedFailureLimit } from '../../guards/breaker.js';
import type { Route } from '../../model/commands.js';
import { parentOf } from '../send-up.js';

/**
 * The circuit breaker of one agent.
 *
 * It decides whether the next call may be made and answers each permit request. It makes no calls. While open it
 * refuses, so that no call waits for an agent that is down; after `cooldown` one probe decides whether the agent is
 * back. The root orchestrator starts one per agent, and it ends with the run.
 */
export const breakerMachine = setup({
  types: {
    input: {} as BreakerInput,
    context: {} as BreakerContext,
    events: {} as BreakerEvent,
    tags: {} as 'accepting' | 'refusing',
  },
  guards: {
    hasReachedFailureLimit: ({ context }) => hasReachedFailureLimit(context),
  },
  actions: {
    announceOpen: emit(({ context }) => ({ type: 'breaker.opened', agent: context.agent })),
    announceClosed: emit(({ context }) => ({ type: 'breaker.closed', agent: context.agent })),
    countFailure: assign({ failures: ({ context }) => context.failures + 1 }),
    forgetFailures: assign({ failures: 0 }),
    grant: sendTo(parentOf, ({ event }) => ({ type: 'permit.granted', route: routeOf(event) })),
    refuse: sendTo(parentOf, ({ event }) => ({
      type: 'permit.refused',
      route: routeOf(event),
      code: 'breaker-open',
    })),
  },
  delays: {
    cooldown: ({ context }) => context.cooldownMs,
  },
}).createMachine({
  id: 'breaker',
  description: 'Refuses calls of an agent that keeps failing, and detects when it is back.',
  options: { maxIterations: 100 },
  context: ({ input }) => ({ ...input, failures: 0 }),
  initial: 'closed',
  states: {
    closed: {
      description:
        'Calls are permitted. Consecutive failures are counted; one success resets the count.',
      tags: ['accepting'],
      on: {
        'permit.requested': { actions: 'grant' },
        'call.succeeded': { actions: 'forgetFailures' },
        'call.failed': { actions: 'countFailure' },
      },
      always: { guard: 'hasReachedFailureLimit', target: 'open' },
    },
    open: {
      description: 'Calls are refused until the cooldown is over.',
      tags: ['refusing'],
      entry: 'announceOpen',
      on: {
        'permit.requested': { actions: 'refuse' },
      },
      after: { cooldown: 'halfOpen' },
    },
    halfOpen: {
      description: 'The next call is the probe.',
      tags: ['accepting'],
      on: {
        'permit.requested': { target: 'probing', actions: 'grant' },
      },
    },
    probing: {
      description: 'The probe is in flight and decides; other calls are refused.',
      tags: ['refusing'],
      on: {
        'permit.requested': { actions: 'refuse' },
        'call.succeeded': { target: 'closed', actions: ['forgetFailures', 'announceClosed'] },
        'call.failed': 'open',
      },
      after: { cooldown: 'halfOpen' },
    },
  },
});

const routeOf = (event: BreakerEvent): Route => ('route' in event ? event.route : []);

export interface BreakerInput {
  /** The agent this breaker guards. */
  readonly agent: string;
  /** Failures in a row that open the breaker. */
  readonly failureLimit: number;
  /** How long it stays open before one probe is permitted. */
  readonly cooldownMs: number;
}

export interface BreakerContext extends BreakerInput {
  /** Failures since the last success. */
  readonly failures: number;
}

export type BreakerEvent =
  | { readonly type: 'permit.requested'; readonly route: Route }
  | { readonly type: 'call.succeeded' }
  | { readonly type: 'call.failed' };

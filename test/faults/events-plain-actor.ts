import { createActor } from 'xstate';

import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import { slowAgent, steps } from '../scenarios/team.js';

/** The charts under XState's own interpreter, with two steps that take 100 ms each. */
export const plainActor = (clock: VirtualClock, overrides: PolicyOverrides = {}) => {
  const told: string[] = [];
  const input = { goal: 'The goal', runId: 'run', plan: { steps: steps('a', 'b<a') } };
  const agents = [slowAgent('worker', clock, 100)];
  const policy = definePolicy(overrides);
  const { machine } = composeOrchestrator({ agents, clock, policy }, undefined);
  const actor = createActor(machine, {
    input,
    clock,
    inspect: (event) => {
      if (event.type !== '@xstate.action' || event.action.type !== 'xstate.emit') return;
      const { event: fact } = event.action.params as { readonly event: { readonly type: string } };
      told.push(`${clock.now()} ${fact.type}`);
    },
  });
  const errors: unknown[] = [];
  const done = new Promise<void>((resolve) => {
    actor.subscribe({
      complete: resolve,
      error: (error) => {
        errors.push(error);
        resolve();
      },
    });
  });
  return { actor, machine, told, errors, done };
};

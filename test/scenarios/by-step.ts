import type { AgentCall } from '../../src/agents/agent.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import type { TestAgent } from './team.js';
import { agentNamed } from './team.js';

/** What an agent does in one step: throws an error, calls a function, or answers with the value. */
export type Behaviours = Readonly<Record<string, unknown>>;

/** An agent whose behaviour depends on the step; by default it answers with what it did. */
export const workerBy = (behaviours: Behaviours, name = 'worker'): TestAgent =>
  agentNamed(name, (call) => {
    const behaviour = Object.hasOwn(behaviours, call.step.id)
      ? behaviours[call.step.id]
      : `did ${call.step.id}`;
    if (behaviour instanceof Error) throw behaviour;
    return typeof behaviour === 'function'
      ? (behaviour as (call: AgentCall) => unknown)(call)
      : behaviour;
  });

/** The same, with a delay. */
export const after =
  (clock: VirtualClock, durationMs: number, answer: unknown) =>
  async (call: AgentCall): Promise<unknown> => {
    await clock.sleep(durationMs, call.signal);
    if (answer instanceof Error) throw answer;
    return answer;
  };

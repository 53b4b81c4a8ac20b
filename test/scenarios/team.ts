import type { Agent, AgentCall } from '../../src/agents/agent.js';
import { defineAgent } from '../../src/agents/agent.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';

/** An agent that does what it is told and counts its calls. */
export interface TestAgent extends Agent {
  readonly calls: AgentCall[];
}

export const agentNamed = (name: string, run: (call: AgentCall) => unknown): TestAgent => {
  const calls: AgentCall[] = [];
  const agent = defineAgent({
    name,
    description: `The test agent ${name}`,
    run: (call) => {
      calls.push(call);
      return run(call);
    },
  });
  return { ...agent, calls };
};

/** An agent that answers after a delay with what it did. */
export const slowAgent = (name: string, clock: VirtualClock, durationMs: number): TestAgent =>
  agentNamed(name, async (call) => {
    await clock.sleep(durationMs, call.signal);
    return `${name} did ${call.step.id}`;
  });

/** Short plans: `steps('a', 'b<a', 'c<a,b')`. Every step is for the agent `worker`, or `agent:id`. */
export const steps = (
  ...texts: readonly string[]
): { id: string; agent: string; task: string; dependsOn: string[] }[] =>
  texts.map((text) => {
    const [name = '', dependencies = ''] = text.split('<');
    const [first = '', second] = name.split(':');
    const [agent, id] = second === undefined ? ['worker', first] : [first, second];
    return {
      id,
      agent,
      task: `Do the work of step ${id}`,
      dependsOn: dependencies === '' ? [] : dependencies.split(','),
    };
  });

import type { Agent } from '../../agents/agent.js';
import type { OrchestratorOptions } from '../../orchestrator/create-orchestrator.js';

/** One call: its agent or role, the request, and the real call. */
export type Ask = (
  who: string,
  request: { readonly key: string },
  ask: () => unknown,
) => Promise<unknown>;

type Options = OrchestratorOptions<readonly Agent[]>;

/** The same team, with every call going through one function. */
export const teamThrough = (options: Options, door: Ask): Options => {
  const through =
    <Request extends { readonly key: string }>(who: string, ask: (request: Request) => unknown) =>
    (request: Request): never =>
      door(who, request, () => ask(request)) as never;
  const { planner, supervisor, tester, summarizer } = options;
  return {
    ...options,
    agents: options.agents.map((agent) => ({
      ...agent,
      run: through(agent.name, agent.run),
      ...(agent.fallback === undefined
        ? {}
        : { fallback: through(`${agent.name}#fallback`, agent.fallback) }),
    })),
    ...(planner === undefined ? {} : { planner: through('planner', planner) }),
    ...(supervisor === undefined ? {} : { supervisor: through('supervisor', supervisor) }),
    ...(tester === undefined ? {} : { tester: through('tester', tester) }),
    ...(summarizer === undefined ? {} : { summarizer: through('summarizer', summarizer) }),
  };
};

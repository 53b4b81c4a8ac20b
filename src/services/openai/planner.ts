import type { Planner } from '../../agents/roles.js';
import type { Plan } from '../../model/plan.js';
import { modelOf } from './ask.js';
import type { RoleOptions } from './options.js';
import { plannerQuestion, plannerSystem } from './prompts/planner.js';
import { planFormat } from './wire/plan.js';

/**
 * A planner that asks a model. The orchestrator validates its proposals like any plan: they can name no other agent,
 * raise no limit and remove no approval.
 *
 * @example
 * createOrchestrator({ agents, planner: openaiPlanner({ model: 'gpt-5-mini' }), policy: presets.dynamic() });
 */
export const openaiPlanner = <const AgentName extends string = never>(
  options: RoleOptions,
): Planner<AgentName> => {
  const { settings, ask } = modelOf(options);
  return async (request) => {
    const { value, usage } = await ask({
      system: plannerSystem(request, options.instructions ?? null),
      question: plannerQuestion(request, settings.context),
      format: planFormat(request, settings.structuredOutputs),
      call: request,
    });
    // The orchestrator checks the agent names, as in every plan.
    const plan = value as Plan as Plan<AgentName>;
    return { ...plan, usage };
  };
};

import type { Supervisor } from '../../agents/roles.js';
import { modelOf } from './ask.js';
import type { RoleOptions } from './options.js';
import { supervisorQuestion, supervisorSystem } from './prompts/supervisor.js';
import { verdictFormat } from './wire/verdict.js';

/** A supervisor that asks a model for its verdict. The policy decides whether a score passes. */
export const openaiSupervisor = (options: RoleOptions): Supervisor => {
  const { settings, ask } = modelOf(options);
  const format = verdictFormat(settings.structuredOutputs);
  return async (request) => {
    const { value, usage } = await ask({
      system: supervisorSystem(request, options.instructions ?? null),
      question: supervisorQuestion(request, settings.context),
      format,
      call: request,
    });
    const { score, issues, feedback } = value;
    return { score, issues, feedback, usage };
  };
};

import type { Tester } from '../../agents/roles.js';
import { modelOf } from './ask.js';
import type { RoleOptions } from './options.js';
import { testerQuestion, testerSystem } from './prompts/tester.js';
import { testResultFormat } from './wire/verdict.js';

/** A tester that asks a model. Give it tools to run the tests: without them it can only read. */
export const openaiTester = (options: RoleOptions): Tester => {
  const { settings, ask } = modelOf(options);
  const format = testResultFormat(settings.structuredOutputs);
  const system = testerSystem(settings.tools.length > 0, options.instructions ?? null);
  return async (request) => {
    const { value, usage } = await ask({
      system,
      question: testerQuestion(request, settings.context),
      format,
      call: request,
    });
    const { passed, failures, fixPlan } = value;
    return { passed, failures, ...(fixPlan === undefined ? {} : { fixPlan }), usage };
  };
};

import type { Summarizer } from '../../agents/roles.js';
import { proseFormat } from './answer-format.js';
import { modelOf } from './ask.js';
import type { RoleOptions } from './options.js';
import { summarizerQuestion, summarizerSystem } from './prompts/summarizer.js';

/** A summarizer that asks a model for the text of the report. */
export const openaiSummarizer = (options: RoleOptions): Summarizer => {
  const { settings, ask } = modelOf(options);
  const system = summarizerSystem(options.instructions ?? null);
  return async (request) => {
    const question = summarizerQuestion(request, settings.context);
    const { value, usage } = await ask({ system, question, format: proseFormat, call: request });
    return { text: value, usage };
  };
};

import { expect } from 'vitest';

import type { OpenAiAnswerCode } from '../../src/services/openai/index.js';
import { OpenAiAnswerError } from '../../src/services/openai/index.js';

/** The error a call ends with; it must have this code. */
export const answerFailure = async (
  answer: unknown,
  code: OpenAiAnswerCode,
): Promise<OpenAiAnswerError> => {
  const thrown = await Promise.resolve(answer).then(
    (value) => ({ value }),
    (error: unknown) => error,
  );
  expect(thrown).toMatchObject({ name: 'OpenAiAnswerError', code });
  expect(OpenAiAnswerError.isInstance(thrown)).toBe(true);
  return thrown as OpenAiAnswerError;
};

import { z } from 'zod';

import { testResultSchema, verdictSchema } from '../../../agents/verdict.js';
import type { AnswerFormat, Reading } from '../answer-format.js';
import { jsonFormat } from '../answer-format.js';
import { readAs } from './own-shape.js';

type Verdict = z.infer<typeof verdictSchema>;
type TestResult = z.infer<typeof testResultSchema>;

const verdictWire = z.object({
  reasoning: z.string().describe('What speaks for the work and what against it, before the score'),
  score: z.number().describe('0 to 100'),
  issues: z.array(z.string()).describe('One problem each; empty when there is none'),
  feedback: z.string().describe('What to change, for the agent that does the work again'),
});

/** Usage is counted here, never said by a model. */
const readVerdict = readAs(verdictSchema.omit({ usage: true }));

export const verdictFormat = (mode: 'schema' | 'json'): AnswerFormat<Verdict> =>
  jsonFormat({ name: 'verdict', schema: verdictWire, read: readVerdict }, mode);

const testResultWire = z.object({
  passed: z.boolean(),
  failures: z.array(z.string()).describe('One failure each; empty when everything passed'),
  fixPlan: z
    .object({ summary: z.string(), steps: z.array(z.string()).describe('One change each') })
    .nullish()
    .describe('What to change so that the tests pass; null when they do'),
});

const readTestResultShape = readAs(testResultSchema.omit({ usage: true }));

/** A result that contradicts itself is refused: the run would continue as if the work were good. */
const readTestResult = (answer: unknown): Reading<TestResult> => {
  const reading = readTestResultShape(answer);
  if (!reading.ok || reading.value.passed === (reading.value.failures.length === 0)) return reading;
  const message = reading.value.passed
    ? 'Expected no failures, because passed is true'
    : 'Expected at least one failure, because passed is false';
  return { ok: false, issues: [{ code: 'wrong-shape', path: 'failures', message }] };
};

export const testResultFormat = (mode: 'schema' | 'json'): AnswerFormat<TestResult> =>
  jsonFormat({ name: 'test_result', schema: testResultWire, read: readTestResult }, mode);

import * as z from 'zod/mini';

import { testResultSchema, verdictSchema } from '../../../agents/verdict.js';
import type { AnswerFormat, Reading } from '../answer-format.js';
import { jsonFormat } from '../answer-format.js';
import { described } from '../described.js';
import { readAs } from './own-shape.js';

type Verdict = z.infer<typeof verdictSchema>;
type TestResult = z.infer<typeof testResultSchema>;

const verdictWire = z.object({
  reasoning: described(
    z.string(),
    'What speaks for the work and what against it, before the score',
  ),
  score: described(z.number(), '0 to 100'),
  issues: described(z.array(z.string()), 'One problem each; empty when there is none'),
  feedback: described(z.string(), 'What to change, for the agent that does the work again'),
});

/** Usage is counted here, never taken from a model. */
const readVerdict = readAs(z.omit(verdictSchema, { usage: true }));

export const verdictFormat = (mode: 'schema' | 'json'): AnswerFormat<Verdict> =>
  jsonFormat({ name: 'verdict', schema: verdictWire, read: readVerdict }, mode);

const testResultWire = z.object({
  passed: z.boolean(),
  failures: described(z.array(z.string()), 'One failure each; empty when everything passed'),
  fixPlan: described(
    z.nullish(
      z.object({ summary: z.string(), steps: described(z.array(z.string()), 'One change each') }),
    ),
    'What to change so that the tests pass; null when they do',
  ),
});

const readTestResultShape = readAs(z.omit(testResultSchema, { usage: true }));

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

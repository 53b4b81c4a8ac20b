import * as z from 'zod/mini';

import { agentReportSchema } from '../../agents/report.js';
import type { JsonValue } from '../../canonical-json.js';
import { InvalidRecordingError, pathText } from '../../errors.js';
import { checked } from '../../model/check.js';
import { factSchema } from '../../model/facts.js';

const json: z.ZodMiniType<JsonValue> = z.json();
const timeMs = z.number().check(z.minimum(0));

/** How a call ended: with a value, with a report of an agent, with an error, or not at all. */
const outcomeSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('returned'), value: json }),
  z.strictObject({ kind: z.literal('reported'), report: agentReportSchema }),
  z.strictObject({ kind: z.literal('threw'), name: z.string(), message: z.string() }),
  z.strictObject({ kind: z.literal('unanswered') }),
]);

const recordedCallSchema = z.strictObject({
  key: z.string(),
  /** The name of the agent, or the role. */
  who: z.string(),
  /** The request, without the signal. */
  request: json,
  outcome: outcomeSchema,
  /** When it ended, counted from the start of the run; null when it never did. */
  finishedAtMs: z.nullable(timeMs),
});

const recordingSchema = z.strictObject({
  format: z.literal(1),
  input: z.strictObject({
    goal: z.string(),
    runId: z.string(),
    plan: z.optional(json),
    input: z.optional(json),
    labels: z.optional(z.record(z.string(), z.string())),
  }),
  calls: z.array(recordedCallSchema),
  facts: z.array(factSchema),
});

export type RecordedOutcome = z.infer<typeof outcomeSchema>;
export type RecordedCall = z.infer<typeof recordedCallSchema>;

/** One recorded run: everything that came from outside, and the resulting facts. Plain JSON. */
export type Recording = z.infer<typeof recordingSchema>;

/** Validates a recording: a file may contain anything. */
export const parsedRecording = (candidate: unknown): Recording => {
  const parsed = checked(recordingSchema, candidate);
  if (parsed.success) return parsed.data;
  throw new InvalidRecordingError(
    parsed.error.issues.map(({ code, path, message }) => ({ code, path: pathText(path), message })),
  );
};

import type * as z from 'zod/mini';

import { checked } from '../../../model/check.js';
import type { Reading } from '../answer-format.js';
import { schemaIssues } from '../issues.js';

/** On the wire every optional member is null, because strict servers require every key; in our types it is left out. */
export const readAs =
  <Value>(schema: z.core.$ZodType<Value>) =>
  (answer: unknown): Reading<Value> => {
    const parsed = checked(schema, withoutNulls(answer));
    return parsed.success
      ? { ok: true, value: parsed.data }
      : { ok: false, issues: schemaIssues(parsed.error) };
  };

const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) =>
      member === null ? [] : [[key, withoutNulls(member)]],
    ),
  );
};

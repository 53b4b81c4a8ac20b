import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { z } from 'zod';

/* What the last full run found, kept in the repository: `npm run mutate` writes it. */

const resultSchema = z.strictObject({
  /** The configuration whose paths refute the mutant. */
  paths: z.string().nullable(),
  /** The policy and the rule by which the proof refutes it; undefined when it was not asked. */
  proof: z.string().nullable().optional(),
});

const resultsSchema = z.record(z.string(), resultSchema);

const survivorsSchema = z.record(z.string(), z.string().min(20));

export type Results = z.infer<typeof resultsSchema>;

/** Mutants that do nothing wrong, each with the reason why. */
export type Survivors = z.infer<typeof survivorsSchema>;

const fileAt = (name: string): string => join(import.meta.dirname, name);

const readJson = (name: string): unknown => JSON.parse(readFileSync(fileAt(name), 'utf8'));

export const readResults = (): Results => resultsSchema.parse(readJson('results.json'));

export const readSurvivors = (): Survivors => survivorsSchema.parse(readJson('survivors.json'));

export const writeResults = (results: Results): void => {
  const sorted = Object.entries(results).sort(([left], [right]) => (left < right ? -1 : 1));
  const lines = sorted.map(([id, result]) => `  ${JSON.stringify(id)}: ${JSON.stringify(result)}`);
  writeFileSync(fileAt('results.json'), `{\n${lines.join(',\n')}\n}\n`);
};

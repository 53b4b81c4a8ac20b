import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { definePolicy, presets } from '../../src/index.js';
import { tableRows } from './markdown.js';

/* The tables of docs/policy.md, compared with the presets and the defaults. */

const page = readFileSync(join(import.meta.dirname, '../../docs/policy.md'), 'utf8');

/** Every option by its path, with its value as JSON. */
const optionsOf = (value: unknown, path: readonly string[] = []): string[][] =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value).flatMap(([name, inner]) => optionsOf(inner, [...path, name]))
    : [[`\`${path.join('.')}\``, `\`${JSON.stringify(value)}\``]];

describe('docs/policy.md', () => {
  it('has the actual values of the presets', () => {
    expect(tableRows(page, 'preset')).toEqual(
      Object.entries(presets).map(([name, preset]) => {
        const { limits, failure } = preset();
        const { maxReplans, maxParallel, maxAttempts, maxDepth } = limits;
        const numbers = [maxReplans, maxParallel, maxAttempts, maxDepth].map(String);
        return [`\`${name}\``, ...numbers, failure.onStepFailure];
      }),
    );
  });

  it('has every option with its default, and no other', () => {
    const rows = tableRows(page, 'option').map((row) => row.slice(0, 2));
    expect(rows).toEqual(optionsOf(definePolicy()));
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import type { Policy } from '../../src/index.js';
import { createOrchestrator, defineAgent, definePolicy, presets } from '../../src/index.js';
import { tableHead, tableRows } from './markdown.js';

/* The tables of docs/policy.md, compared with the presets and the defaults. */

const page = readFileSync(join(import.meta.dirname, '../../docs/policy.md'), 'utf8');

/** Every option by its path, with its value as JSON. */
const optionsOf = (value: unknown, path: readonly string[] = []): string[][] =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value).flatMap(([name, inner]) => optionsOf(inner, [...path, name]))
    : [[`\`${path.join('.')}\``, `\`${JSON.stringify(value)}\``]];

const valueAt = (policy: Policy, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>>)[name], policy);

/** A value as the table of the presets shows it: JSON without quotes. */
const shown = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll('"', '')
    .replaceAll(/(?<mark>[:,])/g, '$<mark> ');

const presetRows = tableRows(page, 'set by presets');
const presetList = Object.values(presets).map((preset) => preset());
const named = (path: string): string => path.replaceAll('`', '');

/** A team with every role: its price tag is the highest of all teams without fallbacks. */
const boundsUnder = (policy: Policy): Readonly<Record<string, number>> => ({
  ...createOrchestrator({
    agents: [defineAgent({ name: 'worker', description: 'Works', run: () => 'done' })],
    planner: () => ({ steps: [] }),
    supervisor: () => ({ score: 100 }),
    tester: () => ({ passed: true }),
    summarizer: () => 'done',
    policy: policy as Policy<'worker'>,
  }).bounds(),
});

describe('docs/policy.md', () => {
  it('shows the value of every preset in every cell, in bold where it is not the default', () => {
    const defaults = definePolicy();
    expect(presetRows).toEqual(
      presetRows.map(([path = '']) => {
        const usual = shown(valueAt(defaults, named(path)));
        const cells = presetList.map((policy) => shown(valueAt(policy, named(path))));
        return [path, usual, ...cells.map((cell) => (cell === usual ? cell : `**${cell}**`))];
      }),
    );
  });

  it('names the presets in the order of the columns', () => {
    const [, , ...columns] = tableHead(page, 'set by presets');
    expect(columns.map(named)).toEqual(Object.keys(presets));
  });

  it('shows every option that some preset sets to another value than the default', () => {
    const defaults = new Map(optionsOf(definePolicy()).map(([path = '', value]) => [path, value]));
    const changed = presetList.flatMap((policy) =>
      optionsOf(policy).flatMap(([path = '', value]) =>
        defaults.get(path) === value ? [] : [named(path).replace(/^breaker\..*/, 'breaker')],
      ),
    );
    expect(changed).not.toEqual([]);
    expect(presetRows.map(([path = '']) => named(path))).toEqual(expect.arrayContaining(changed));
  });

  it('has the price tag of every preset', () => {
    const metrics = tableHead(page, 'price tag of').slice(1).map(named);
    expect([...metrics].sort()).toEqual(Object.keys(boundsUnder(definePolicy())).sort());
    expect(tableRows(page, 'price tag of')).toEqual(
      Object.entries(presets).map(([name, preset]) => {
        const bounds = boundsUnder(preset());
        return [`\`${name}\``, ...metrics.map((metric) => bounds[metric]?.toLocaleString('en'))];
      }),
    );
  });

  it('has every option with its default, and no other', () => {
    const rows = tableRows(page, 'option').map((row) => row.slice(0, 2));
    expect(rows).toEqual(optionsOf(definePolicy()));
  });
});

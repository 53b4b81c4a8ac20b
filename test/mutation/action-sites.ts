import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { root } from '../package/manifest.js';
import type { ChartName, Mutation } from './mutants.js';

/*
 * Where actions, delays and inputs ask what guards ask: calls of `src/guards` in the sources of the charts, outside of what is
 * a guard of the chart itself. Found in the text, which the formatter keeps regular.
 */

/** One call of a function of `src/guards`. */
export interface ActionSite {
  /** `orchestrator/settle.ts canReplan 2`: the second call of it there. */
  readonly name: string;
  readonly file: string;
  readonly charts: readonly ChartName[];
  readonly answers: Answers;
  readonly start: number;
  readonly end: number;
}

/** The last two: something, or else undefined or null. */
type Answers = 'boolean' | 'number' | 'or undefined' | 'or null';

/** What can be wrong with an answer. */
export const ACTION_MUTATIONS: Readonly<Record<Answers, readonly Mutation[]>> = {
  boolean: ['negated', 'always true', 'never taken'],
  number: ['one more', 'one less'],
  'or undefined': ['never taken'],
  'or null': ['never taken'],
};

const MACHINES = join(root, 'src/machines');
const GUARDS = join(root, 'src/guards');

/** Guards of the chart with a file of their own: they are broken at their transitions. */
const GUARD_FILE = '/guards.ts';

export const actionSites = (): ActionSite[] =>
  readdirSync(MACHINES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith(GUARD_FILE))
    .sort()
    .flatMap((file) => sitesIn(file, sourceOf(file)));

export const sourceOf = (file: string): string => readFileSync(join(MACHINES, file), 'utf8');

const sitesIn = (file: string, source: string): ActionSite[] => {
  const guarded = guardsBlock(source);
  return importsOf(source).flatMap(({ called, exported, from }) => {
    const answers = answersOf(from, exported);
    if (answers === undefined) return [];
    const calls = [...source.matchAll(new RegExp(`(?<![\\w.])${called}\\(`, 'g'))]
      .map(({ index }) => ({ start: index, end: endOfCall(source, index) }))
      .filter(({ start }) => start < guarded.start || start >= guarded.end);
    return calls.map((place, index) => ({
      ...place,
      name: `${file} ${exported} ${index + 1}`,
      file,
      charts: chartsOfFile(file),
      answers,
    }));
  });
};

interface Imported {
  /** As it is called here: `guards\.tickMs`, or `canReplan`. */
  readonly called: string;
  readonly exported: string;
  readonly from: string;
}

const importsOf = (source: string): Imported[] => [
  ...[...source.matchAll(/import \{([^}]*)\} from '(?:\.\.\/)+guards\/([\w-]+)\.js'/g)].flatMap(
    ([, names = '', from = '']) =>
      names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '')
        .map((name) => ({ called: name, exported: name, from })),
  ),
  ...[...source.matchAll(/import \* as (\w+) from '(?:\.\.\/)+guards\/([\w-]+)\.js'/g)].flatMap(
    ([, space = '', from = '']) =>
      exportsOf(from).map((name) => ({ called: `${space}\\.${name}`, exported: name, from })),
  ),
];

const guardSource = (file: string): string => readFileSync(join(GUARDS, `${file}.ts`), 'utf8');

const exportsOf = (file: string): string[] =>
  [...guardSource(file).matchAll(/^export const (\w+) = \(/gm)].map(([, name = '']) => name);

/** By its signature; what is neither cannot be negated, be off by one, or be missing. */
const answersOf = (file: string, name: string): Answers | undefined => {
  const [, type = ''] =
    new RegExp(`^export const ${name} = [\\s\\S]*?\\): ([^;={]+) =>`, 'm').exec(
      guardSource(file),
    ) ?? [];
  if (type === 'boolean' || type === 'number') return type;
  if (type.endsWith(' | undefined')) return 'or undefined';
  return type.endsWith(' | null') ? 'or null' : undefined;
};

/** The guards of a chart, where its setup has them. */
const guardsBlock = (source: string): { readonly start: number; readonly end: number } => {
  const start = source.indexOf('\n  guards: {');
  return start < 0 ? { start: 0, end: 0 } : { start, end: source.indexOf('\n  },', start) };
};

const endOfCall = (source: string, start: number): number => {
  let depth = 0;
  for (let index = source.indexOf('(', start); index < source.length; index += 1) {
    if (source[index] === '(') depth += 1;
    if (source[index] === ')') depth -= 1;
    if (depth === 0) return index + 1;
  }
  throw new Error(`A call without an end: ${source.slice(start, start + 40)}`);
};

const CHART_OF_FOLDER: Readonly<Record<string, ChartName>> = {
  orchestrator: 'orchestrator',
  step: 'step',
  'agent-call': 'agentCall',
  approval: 'approval',
  breaker: 'breaker',
};

/** What two charts share is tried with both. */
const chartsOfFile = (file: string): readonly ChartName[] => {
  const chart = CHART_OF_FOLDER[dirname(file)];
  return chart === undefined ? ['step', 'orchestrator'] : [chart];
};

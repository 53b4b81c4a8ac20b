// Imports that are refused in every folder of src. Imports between folders: import-directions.ts.
import { builtinModules } from 'node:module';

import type { OxlintOverride } from 'oxlint';

import { noNode } from './only-services.js';
import type { RuleSetting } from './rule-setting.js';

/**
 * The parts that need Node: each has its own entry point, which bundlers for browsers refuse (package.json
 * gives it no `default`). No other file of src may import them, so the rest of src needs no Node.
 */
const needsNode = [
  'src/cli/**/*.ts',
  'src/services/stores/postgres/**/*.ts',
  'src/services/stores/sqlite/**/*.ts',
];

/** Rules for all of src, also for the parts that need Node. */
const everywhere = [
  { regex: '^planwright(?:/|$)', message: 'Inside src, import the file itself.' },
  {
    regex: '^zod$',
    message: 'Import zod/mini: zod brings every method and every locale into the bundle of an app.',
  },
  { regex: '[^.]/\\.\\.(?:/|$)|^\\./\\.\\.', message: 'Write the shortest relative path.' },
];

/** Not even their types: a declaration file that names them asks every front end for @types/node. */
const withoutNode = [
  { regex: `^(?:node:|(?:${builtinModules.join('|')})(?:/|$))`, message: noNode },
  {
    regex: 'stores/(?:postgres|sqlite)/',
    message: 'Parts that need Node are reached only through their own entry points.',
  },
];

// oxlint silently ignores a pattern with a look-ahead.
const restrictedImports = (patterns: { regex: string; message: string }[]): RuleSetting => [
  'error',
  { patterns },
];

export const importsOfSrc: OxlintOverride[] = [
  {
    files: ['src/**/*.{ts,tsx}'],
    rules: {
      'eslint/no-restricted-imports': restrictedImports([...withoutNode, ...everywhere]),
      'planwright/import-directions': 'error',
    },
  },
  { files: needsNode, rules: { 'eslint/no-restricted-imports': restrictedImports(everywhere) } },
];

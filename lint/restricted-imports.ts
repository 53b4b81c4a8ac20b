// What no file of src may import, whatever its folder. The folders among themselves: import-directions.ts.
import { builtinModules } from 'node:module';

import type { OxlintOverride } from 'oxlint';

import { noNode } from './only-services.js';
import type { RuleSetting } from './rule-setting.js';

/**
 * The parts that need Node: each is behind an entry point of its own, which bundlers for browsers refuse (package.json
 * gives it no `default`). Nothing else of src may import them, so Node stays out of everything else.
 */
const needsNode = [
  'src/cli/**/*.ts',
  'src/services/stores/postgres/**/*.ts',
  'src/services/stores/sqlite/**/*.ts',
];

/** Holds in all of src, also where Node is. */
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
    message: 'Only an entry point of its own leads to what needs Node.',
  },
];

// A look-ahead in a pattern makes oxlint pass over it without a word.
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

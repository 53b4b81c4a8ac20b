import type { OxlintOverride } from 'oxlint';
import { defineConfig } from 'oxlint';

import type { RestrictedGlobal } from './lint/only-services.js';
import {
  hostGlobals,
  jsonParse,
  timeAndChanceProperties,
  timeGlobals,
} from './lint/only-services.js';
import { importsOfSrc } from './lint/restricted-imports.js';
import type { RuleSetting } from './lint/rule-setting.js';
import { plainRules, typedRules } from './lint/typescript-rules.js';

/** `globalThis.setTimeout` is the same thing, hence `checkGlobalObject`. */
const restrictedGlobals = (...lists: RestrictedGlobal[][]): RuleSetting => [
  'error',
  { globals: lists.flat(), checkGlobalObject: true },
];

const maxLines = (max: number): RuleSetting => [
  'error',
  { max, skipBlankLines: true, skipComments: true },
];

/** A later entry wins, so the order goes from everything to the exceptions. */
const overrides: OxlintOverride[] = [
  {
    files: ['**/*.{ts,tsx}'],
    rules: { ...plainRules, ...typedRules },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    rules: {
      'eslint/max-lines': maxLines(400),
      'eslint/max-lines-per-function': maxLines(70),
      'eslint/complexity': ['error', 10],
      'eslint/no-restricted-globals': restrictedGlobals(timeGlobals, hostGlobals),
      'eslint/no-restricted-properties': ['error', ...timeAndChanceProperties, jsonParse],
      'planwright/no-current-date': 'error',
      'planwright/no-dynamic-import': 'error',
    },
  },
  ...importsOfSrc,
  {
    // A chart is one literal and is read as one.
    files: ['src/machines/**/*.ts'],
    rules: { 'eslint/max-lines-per-function': 'off' },
  },
  {
    // The root, the registry for runs of a store, the kernel and redaction load code when a program first needs it.
    // The command line loads what its user names.
    files: [
      'src/orchestrator/{create-orchestrator,load-all-parts}.ts',
      'src/run/run-registry.ts',
      'src/kernel/shared-runner.ts',
      'src/actors/redaction.ts',
      'src/cli/**/*.ts',
    ],
    rules: { 'planwright/no-dynamic-import': 'off' },
  },
  {
    files: ['src/services/**/*.ts', 'src/canonical-json.ts'],
    rules: {
      'eslint/no-restricted-properties': ['error', ...timeAndChanceProperties],
    },
  },
  {
    files: ['src/services/clock.ts', 'src/services/random-id.ts'],
    rules: {
      'eslint/no-restricted-globals': restrictedGlobals(hostGlobals),
      'eslint/no-restricted-properties': 'off',
      'planwright/no-current-date': 'off',
    },
  },
  {
    // The command line is a program of Node.
    files: ['src/cli/**/*.ts'],
    rules: { 'eslint/no-restricted-globals': 'off', 'planwright/no-current-date': 'off' },
  },
  {
    files: ['test/**/*.{ts,tsx}'],
    rules: {
      'typescript/no-non-null-assertion': 'off',
      'typescript/unbound-method': 'off',
      'eslint/no-empty-function': 'off',
    },
  },
  {
    files: ['{bench,examples,scripts}/**/*.{ts,tsx}'],
    rules: { 'eslint/no-console': 'off' },
  },
  {
    // Their tools ask for it.
    files: ['oxlint.config.ts', 'vitest.config.ts', 'lint/own-rules.ts'],
    rules: { 'import/no-default-export': 'off' },
  },
];

export default defineConfig({
  // Every rule that is on is named: a new version of oxlint changes none of them by itself.
  categories: { correctness: 'off' },
  plugins: ['typescript', 'import'],
  jsPlugins: ['./lint/own-rules.ts'],
  options: { typeAware: true, reportUnusedDisableDirectives: 'error' },
  ignorePatterns: ['dist', 'coverage', 'visualizations'],
  overrides,
});

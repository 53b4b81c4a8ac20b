import { builtinModules } from 'node:module';

import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

// ---- Import directions inside src -------------------------------------------------------------
// Each folder names the only places it may take values from; type-only imports are free.
// An entry ending in `/` is a folder of src, one ending in `.js` a file of src, the rest are packages.

const mayImport = {
  // What a command looks like is said once, for the door of a run and for the chart of a plain actor.
  guards: ['guards/', 'policy/time.js', 'run/commands.js'],
  plan: ['plan/', 'zod', 'errors.js', 'canonical-json.js'],
  // Only the budgets that follow from a policy; policies themselves reach charts as settings.
  machines: ['machines/', 'guards/', 'plan/', 'policy/time.js', 'xstate'],
  agents: ['agents/', 'plan/', 'zod', 'errors.js', 'canonical-json.js'],
  actors: [
    'actors/',
    'agents/',
    'plan/',
    'guards/',
    'xstate',
    'zod',
    'errors.js',
    'failure.js',
    'canonical-json.js',
  ],
  kernel: ['kernel/', 'xstate'],
  journal: ['journal/', 'plan/', 'agents/', 'zod', 'errors.js', 'canonical-json.js'],
  policy: ['policy/', 'zod', 'errors.js'],
  run: ['run/', 'actors/', 'journal/', 'kernel/', 'errors.js', 'failure.js', 'zod'],
  // A what-if is a journal made by the kernel; what people say in it is checked at the same door.
  'time-travel': [
    'time-travel/',
    'actors/check-plan.js',
    'journal/',
    'kernel/',
    'plan/',
    'run/commands.js',
    'run/run-memory.js',
    'errors.js',
    'zod',
  ],
  openai: ['services/openai/'],
  // One file per store, named exports only.
  store: ['services/stores/'],
};

/** The other way round, for folders that may import nearly everything. */
const mayNotImport = {
  services: [
    'machines/',
    'kernel/',
    'actors/',
    'guards/',
    'testing/',
    'orchestrator.js',
    'index.js',
  ],
  testing: ['cli/'],
};

/** The files every folder may use stand on nothing, so that they cannot be a way around the arrows. */
const leaves = ['src/errors.ts', 'src/failure.ts', 'src/canonical-json.ts'];

/**
 * The parts that need Node: each is behind an entry point of its own, which bundlers for browsers refuse (package.json
 * gives it no `default`). Nothing else of src may import them, so Node stays out of everything else.
 */
const needsNode = [
  'src/cli',
  'src/services/stores/postgres',
  'src/services/stores/sqlite',
  'src/store/postgres.ts',
  'src/store/sqlite.ts',
];

/** Not even their types: a declaration file that names them asks every front end for @types/node. */
const nodeModule = `node:|(?:${builtinModules.join('|')})(?:/|$)`;

// ---- Things only a service may touch ----------------------------------------------------------

const viaClock = 'Time enters src only through src/services/clock.ts.';
const viaRandomId = 'Chance enters src only through src/services/random-id.ts.';
const viaServices = 'Parse untrusted text in src/services or src/canonical-json.ts only.';
const noNode = 'src runs in a browser: no Node globals and no Node modules.';
const noDom = 'src runs on a server too: no page globals.';

const timeAndChanceGlobals = [
  'setTimeout',
  'setInterval',
  'clearTimeout',
  'clearInterval',
  'performance',
].map((name) => ({ name, message: viaClock }));

const hostGlobals = [
  ...[
    'process',
    'Buffer',
    'global',
    'require',
    'module',
    '__dirname',
    '__filename',
    'setImmediate',
    'clearImmediate',
  ].map((name) => ({ name, message: noNode })),
  // With the DOM types a forgotten local variable `name` or `event` would compile.
  ...['window', 'document', 'self', 'location', 'localStorage', 'name', 'event', 'status'].map(
    (name) => ({ name, message: noDom }),
  ),
];

const timeAndChanceProperties = [
  { object: 'Date', property: 'now', message: viaClock },
  { object: 'AbortSignal', property: 'timeout', message: viaClock },
  { object: 'Math', property: 'random', message: viaRandomId },
  { object: 'crypto', property: 'randomUUID', message: viaRandomId },
  { object: 'crypto', property: 'getRandomValues', message: viaRandomId },
];

const jsonParse = [{ object: 'JSON', property: 'parse', message: viaServices }];

const defaultExport = [
  { selector: 'ExportDefaultDeclaration', message: 'Named exports only: one thing, one name.' },
];

const dynamicImport = [
  {
    selector: 'ImportExpression',
    message: 'No dynamic imports in src: they go around the import directions.',
  },
];

const currentDate = [
  { selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: viaClock },
  { selector: 'CallExpression[callee.name="Date"]', message: viaClock },
];

/** Holds in all of src, also where Node is. */
const everywhere = [
  { regex: '^planwright(?:/|$)', message: 'Inside src, import the file itself.' },
  { regex: '[^.]/\\.\\.(?:/|$)|^\\./\\.\\.', message: 'Write the shortest relative path.' },
];

// ---- The configuration ------------------------------------------------------------------------

export default defineConfig(
  globalIgnores(['dist', 'coverage', 'visualizations']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      'no-console': 'error',
      'no-restricted-syntax': ['error', ...defaultExport],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // Type aliases and interfaces differ for XState: only an alias is assignable to a JSON record.
      '@typescript-eslint/consistent-type-definitions': 'off',
      // There are no enums (tsconfig.json, erasableSyntaxOnly), and looking for them is a fifth of what the rules cost.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-enum-comparison': 'off',
      // Ports and agents are asynchronous by contract, whether or not one of them has to wait.
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    rules: {
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
      complexity: ['error', 10],
      'no-restricted-globals': restrictedGlobals(timeAndChanceGlobals, hostGlobals),
      'no-restricted-properties': ['error', ...timeAndChanceProperties, ...jsonParse],
      'no-restricted-syntax': ['error', ...defaultExport, ...dynamicImport, ...currentDate],
      '@typescript-eslint/no-restricted-imports': restrictedImports(),
    },
  },
  {
    // A chart is one literal and is read as one.
    files: ['src/machines/*.ts'],
    rules: { 'max-lines-per-function': 'off' },
  },
  {
    // Three regions in one literal: split up, its edges would be lost to the extractor and the editor.
    files: ['src/machines/orchestrator.ts'],
    rules: { 'max-lines': ['error', { max: 700, skipBlankLines: true, skipComments: true }] },
  },
  {
    // The root, and the registry for runs of a store, may load a room when it is asked for: who never asks does not carry it.
    files: ['src/orchestrator.ts', 'src/run/run-registry.ts'],
    rules: { 'no-restricted-syntax': ['error', ...defaultExport, ...currentDate] },
  },
  {
    files: ['src/services/**/*.ts', 'src/canonical-json.ts'],
    rules: { 'no-restricted-properties': ['error', ...timeAndChanceProperties] },
  },
  {
    files: ['src/services/clock.ts', 'src/services/random-id.ts'],
    rules: {
      'no-restricted-globals': restrictedGlobals(hostGlobals),
      'no-restricted-properties': 'off',
      'no-restricted-syntax': ['error', ...defaultExport, ...dynamicImport],
    },
  },
  Object.entries(mayImport).flatMap(([folder, targets]) => [
    allowedImports(`src/${folder}/**/*.{ts,tsx}`, targets, { own: './', root: '../' }),
    allowedImports(`src/${folder}/*/**/*.{ts,tsx}`, targets, { own: '../', root: '../../' }),
  ]),
  leaves.map((file) =>
    allowedImports(file, ['errors.js', 'failure.js', 'canonical-json.js', 'zod'], { root: './' }),
  ),
  Object.entries(mayNotImport).map(([folder, targets]) => forbiddenImports(folder, targets)),
  {
    files: needsNode.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.ts`)),
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { patterns: [...everywhere, forbiddenPattern(mayNotImport.services)] },
      ],
    },
  },
  {
    // The command line: a program of Node that loads what its user names.
    files: ['src/cli/**/*.ts'],
    rules: {
      'no-restricted-globals': 'off',
      'no-restricted-syntax': ['error', ...defaultExport],
      '@typescript-eslint/no-restricted-imports': ['error', { patterns: everywhere }],
    },
  },
  {
    files: ['test/**/*.{ts,tsx}'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-empty-function': 'off',
    },
  },
  {
    files: ['{bench,examples,scripts}/**/*.{ts,tsx}'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['*.config.{js,ts}'],
    rules: { 'no-restricted-syntax': 'off' },
  },
);

// ---- How the tables above become rules --------------------------------------------------------

function restrictedGlobals(...lists) {
  // checkGlobalObject: `globalThis.setTimeout` is the same thing.
  return ['error', { globals: lists.flat(), checkGlobalObject: true }];
}

/** The patterns that hold in all of src, plus those of one folder. */
function restrictedImports(...patterns) {
  return [
    'error',
    {
      patterns: [
        { regex: `^(?:${nodeModule})`, message: noNode },
        {
          regex: 'stores/(?:postgres|sqlite)/',
          message: 'Only an entry point of its own in src/store leads to what needs Node.',
        },
        ...everywhere,
        ...patterns,
      ],
    },
  ];
}

/**
 * Values may come from `targets` only. `own` leads from the linted files to their own folder of src, `root` to src:
 * a file in a sub-folder is one step further away from both.
 */
function allowedImports(files, targets, { own, root }) {
  const allowed = targets.map((target) => targetPattern(target, escapeRegex(root)));
  const near = own === undefined ? [] : ['\\./', `${escapeRegex(own)}(?!\\.\\.)`];
  return {
    files: [files],
    rules: {
      '@typescript-eslint/no-restricted-imports': restrictedImports({
        // Node modules are refused by their own pattern, which unlike this one does not let types pass.
        regex: `^(?!${[...near, ...allowed, nodeModule].join('|')})`,
        allowTypeImports: true,
        message: `Values may be imported here only from ${targets.join(', ')}. See CONTRIBUTING.md, "The arrows".`,
      }),
    },
  };
}

/** Values may come from anywhere but `targets`. */
function forbiddenImports(folder, targets) {
  return {
    files: [`src/${folder}/**/*.{ts,tsx}`],
    rules: {
      '@typescript-eslint/no-restricted-imports': restrictedImports(forbiddenPattern(targets)),
    },
  };
}

function forbiddenPattern(targets) {
  const forbidden = targets.map((target) => targetPattern(target, '(?:\\.\\./)+'));
  return {
    regex: `^(?:${forbidden.join('|')})`,
    allowTypeImports: true,
    message: `No values may be imported here from ${targets.join(', ')}. See CONTRIBUTING.md, "The arrows".`,
  };
}

function targetPattern(target, toRoot) {
  if (target.endsWith('/')) return `${toRoot}${escapeRegex(target)}`;
  if (target.endsWith('.js')) return `${toRoot}${escapeRegex(target)}$`;
  return `${escapeRegex(target)}(?:/|$)`;
}

function escapeRegex(text) {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

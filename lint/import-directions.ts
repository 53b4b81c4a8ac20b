// Which folder of src may import from which, types included. This is the only list: `npm run arrows`
// writes it into docs/architecture.md.
import { builtinModules } from 'node:module';
import { posix } from 'node:path';

/** One folder of src. */
export interface SourceFolder {
  readonly purpose: string;
  /**
   * What the folder may import besides itself and the leaves. An entry ending in `/` is a folder of src, one ending in `.js` a
   * file of src, the rest are packages.
   */
  readonly mayImport: readonly string[];
}

/** From the bottom up: a folder imports only from folders above it in this list. */
export const sourceFolders = {
  model: {
    purpose:
      'shared types and their zod schemas: calls, commands, facts, statuses, plans, policies, the port of a store',
    mayImport: ['zod'],
  },
  guards: {
    purpose: 'pure predicates, one file per noun, on the part of a run that they judge',
    mayImport: ['model/'],
  },
  plan: {
    purpose: 'validation and adoption of plans, the progress of steps',
    mayImport: ['model/'],
  },
  policy: {
    purpose: 'options, defaults, presets, and `bounds()`',
    mayImport: ['model/', 'guards/'],
  },
  agents: {
    purpose: 'what users define: agents, their answers, roles, secrets',
    mayImport: ['model/', 'zod'],
  },
  kernel: {
    purpose:
      'the pure step over a tree of charts; `tracing` is the fast path, checked against XState',
    mayImport: ['xstate'],
  },
  machines: {
    purpose: 'the five charts, a folder each: chart, setup, context, guards on it, facts',
    mayImport: ['model/', 'guards/', 'plan/', 'xstate'],
  },
  journal: {
    purpose: 'entries and how they are stored, the record, the report',
    mayImport: ['model/', 'plan/', 'kernel/', 'zod'],
  },
  services: {
    purpose: 'I/O behind ports: clock, ids, stores, models',
    mayImport: ['model/', 'agents/', 'policy/', 'journal/', 'zod', 'openai', 'libsql', 'pg'],
  },
  actors: {
    purpose: 'one try of one call of one role, within its bounds',
    mayImport: ['model/', 'agents/', 'plan/', 'guards/'],
  },
  run: {
    purpose: 'driver, live and connected runs, run ownership, recovery, commands through the store',
    mayImport: ['model/', 'actors/', 'journal/', 'kernel/', 'services/'],
  },
  'time-travel': {
    purpose: 'replay, fork and explain a stored run',
    mayImport: [
      'model/',
      'plan/',
      'policy/',
      'agents/',
      'actors/',
      'journal/',
      'kernel/',
      'services/',
      'run/',
      'zod',
    ],
  },
  orchestrator: {
    purpose: 'the composition root: it wires agents, policy, charts, store and clock together',
    mayImport: [
      'model/',
      'guards/',
      'plan/',
      'policy/',
      'agents/',
      'actors/',
      'kernel/',
      'machines/',
      'journal/',
      'services/',
      'run/',
      'time-travel/',
      'xstate',
    ],
  },
  testing: {
    purpose: 'what users import to test their own orchestration',
    mayImport: [
      'model/',
      'plan/',
      'policy/',
      'agents/',
      'journal/',
      'services/',
      'run/',
      'orchestrator/',
      'zod',
    ],
  },
  proof: {
    purpose: 'proofs of a policy, generated paths, simulated worlds; behind `planwright/testing`',
    mayImport: [
      'model/',
      'guards/',
      'plan/',
      'policy/',
      'agents/',
      'actors/',
      'kernel/',
      'machines/',
      'journal/',
      'services/',
      'run/',
      'orchestrator/',
      'testing/',
      'xstate',
      '@xstate/graph',
      'zod',
    ],
  },
  cli: {
    purpose: '`npx planwright`, for Node only',
    mayImport: ['model/', 'policy/', 'services/', 'orchestrator/', 'testing/', 'proof/'],
  },
} as const satisfies Readonly<Record<string, SourceFolder>>;

/** Every folder may import these files. They import no folder, so no import can go around the list. */
export const leaves = [
  'errors.js',
  'failure.js',
  'canonical-json.js',
  'deep-frozen.js',
  'closest-name.js',
];

/** The entry points: they may import every folder. */
const entries = ['index.ts', 'testing.ts'];

/**
 * The problem of an import of `file` from `specifier`, or undefined. `file` is a path from src. Modules of Node
 * are refused elsewhere (restricted-imports.ts).
 */
export const wrongDirection = (file: string, specifier: string): string | undefined => {
  if (isNodeModule(specifier) || entries.includes(file)) return undefined;
  const target = specifier.startsWith('.')
    ? posix.join(posix.dirname(file), specifier)
    : `package ${specifier}`;
  const allowed = allowedFor(file);
  if (allowed === undefined) return `${file} is in no known folder of src: ${seeArrows}`;
  if (allowed.some((entry) => isIn(target, entry))) return undefined;
  return `This folder imports only from ${allowed.join(', ')}. ${seeArrows}`;
};

const allowedFor = (file: string): readonly string[] | undefined => {
  if (leaves.includes(file.replace(/\.ts$/, '.js'))) return leaves;
  const [folder = ''] = file.split('/');
  const rules = (sourceFolders as Readonly<Record<string, SourceFolder>>)[folder];
  return rules && [`${folder}/`, ...leaves, ...rules.mayImport];
};

const seeArrows = 'See lint/import-directions.ts.';

const isNodeModule = (specifier: string): boolean =>
  specifier.startsWith('node:') || builtinModules.includes(specifier);

const isIn = (target: string, entry: string): boolean => {
  if (entry.endsWith('/')) return target.startsWith(entry);
  if (entry.endsWith('.js')) return target === entry;
  return `${target}/`.startsWith(`package ${entry}/`);
};

// Who may import values from whom inside src. CONTRIBUTING.md, "The arrows", says why.
import { builtinModules } from 'node:module';
import { posix } from 'node:path';

/**
 * Each folder names the only places it may take values from, beside itself; type-only imports are free.
 * An entry ending in `/` is a folder of src, one ending in `.js` a file of src, the rest are packages.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
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
const mayNotImport: Readonly<Record<string, readonly string[]>> = {
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
const leaves = ['errors.ts', 'failure.ts', 'canonical-json.ts'];
const leavesMayImport = ['errors.js', 'failure.js', 'canonical-json.js', 'zod'];

/**
 * Says what is wrong about a value that `file` imports from `specifier`, if anything is. `file` is a path from src.
 * Modules of Node are refused elsewhere, even as types (restricted-imports.ts).
 */
export const wrongDirection = (file: string, specifier: string): string | undefined => {
  if (isNodeModule(specifier)) return undefined;
  const target = specifier.startsWith('.')
    ? posix.join(posix.dirname(file), specifier)
    : `package ${specifier}`;
  const [folder = ''] = file.split('/');

  const allowed = leaves.includes(file) ? leavesMayImport : mayImport[folder];
  if (allowed !== undefined && ![`${folder}/`, ...allowed].some((entry) => isIn(target, entry)))
    return `Values may be imported here only from ${allowed.join(', ')}. ${seeArrows}`;

  const forbidden = mayNotImport[folder] ?? [];
  if (forbidden.some((entry) => isIn(target, entry)))
    return `No values may be imported here from ${forbidden.join(', ')}. ${seeArrows}`;
  return undefined;
};

const seeArrows = 'See CONTRIBUTING.md, "The arrows".';

const isNodeModule = (specifier: string): boolean =>
  specifier.startsWith('node:') || builtinModules.includes(specifier);

const isIn = (target: string, entry: string): boolean => {
  if (entry.endsWith('/')) return target.startsWith(entry);
  if (entry.endsWith('.js')) return target === entry;
  return `${target}/`.startsWith(`package ${entry}/`);
};

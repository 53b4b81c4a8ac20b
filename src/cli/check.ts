import { existsSync } from 'node:fs';

import { internalsOf } from '../orchestrator/internals.js';
import type { CheckedRuns } from '../orchestrator/check-stored.js';
import { checkStored } from '../orchestrator/check-stored.js';
import type { RunStore } from '../model/run-store.js';
import type { Noun } from '../proof/prove/counted.js';
import { counted } from '../proof/prove/counted.js';
import type { CheckArguments } from './check-arguments.js';
import { CHECK_USAGE, readCheckArguments } from './check-arguments.js';
import { UsageError } from './parsed-options.js';
import { exportsOf } from './subject.js';
import type { Terminal } from './terminal.js';

/** `planwright check`. Returns the exit code: 0 every run can be resumed, 1 some cannot. */
export const check = async (args: readonly string[], terminal: Terminal): Promise<number> => {
  const given = readCheckArguments(args);
  if (given === undefined) {
    terminal.print(CHECK_USAGE);
    return 0;
  }
  const internals = await buildIn(given.module);
  const store = await opened(given);
  try {
    const checked = await checkStored(internals.engine, store);
    terminal.print(given.json ? JSON.stringify(checked.refused, null, 2) : listOf(checked));
    return checked.refused.length === 0 ? 0 : 1;
  } finally {
    await store.close?.();
  }
};

const buildIn = async (module: string) => {
  const exports = await exportsOf(module);
  for (const candidate of [exports['orchestrator'], exports['default']]) {
    if (typeof candidate !== 'object' || candidate === null) continue;
    const internals = internalsOf(candidate);
    if (internals !== undefined) return internals;
  }
  throw new UsageError(
    `${module} exports no orchestrator: export the one that your service runs as \`orchestrator\``,
  );
};

/** Opens the store and never creates one. */
const opened = async ({ store, schema }: CheckArguments): Promise<RunStore> => {
  if (/^postgres(?:ql)?:/.test(store)) {
    const { postgresStore } = await import('../services/stores/postgres/index.js');
    const options = { url: store, createTables: false };
    return postgresStore(schema === undefined ? options : { ...options, schema });
  }
  if (!existsSync(store)) throw new UsageError(`There is no file ${store}`);
  const { sqliteStore } = await import('../services/stores/sqlite/index.js');
  return sqliteStore({ path: store });
};

const RUNS: Noun = ['unfinished run', 'unfinished runs'];

const listOf = ({ count, refused }: CheckedRuns): string => {
  if (refused.length === 0) return `${counted(count, RUNS)}: this build refuses none`;
  return [
    `${counted(count, RUNS)}: this build refuses ${refused.length}`,
    ...refused.flatMap(({ runId, goal, reason }) => ['', `${runId}: ${goal}`, `  ${reason}`]),
  ].join('\n');
};

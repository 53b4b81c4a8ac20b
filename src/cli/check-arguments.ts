import { parsedOptions, UsageError } from './parsed-options.js';

export const CHECK_USAGE = `planwright check <module> --store <file or url> [options]

Lists the unfinished runs of a store that a build would refuse to resume, each with the first difference. Claims and changes nothing.

  <module>            a file that exports an orchestrator as \`orchestrator\` or \`default\`: the build

  --store runs.db     the SQLite file, or a postgres:// url
  --schema name       the schema in PostgreSQL                         [planwright]
  --json              prints the refused runs as JSON

Exit code: 0 when every run can be resumed, 1 when some cannot, 2 when the check could not run.`;

export interface CheckArguments {
  readonly module: string;
  /** A file, or a url of PostgreSQL. */
  readonly store: string;
  readonly schema: string | undefined;
  readonly json: boolean;
}

const OPTIONS = {
  store: { type: 'string' },
  schema: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** What comes after `planwright check`; undefined when only help is wanted. */
export const readCheckArguments = (args: readonly string[]): CheckArguments | undefined => {
  const { values, positionals } = parsedOptions(args, OPTIONS);
  if (values.help === true) return undefined;
  const [module, ...rest] = positionals;
  if (module === undefined || rest.length > 0) {
    throw new UsageError('Name one module: `planwright check ./service.js --store runs.db`');
  }
  if (values.store === undefined) {
    throw new UsageError('Name the store: `--store runs.db`, or `--store postgres://...`');
  }
  return { module, store: values.store, schema: values.schema, json: values.json === true };
};

import { parseArgs } from 'node:util';

/** The options of the command line. */
export interface Options {
  readonly goal: string | null;
  /** The user's own project; null for the sample. */
  readonly project: string | null;
  /** Use the scripted answers even when there is a key. */
  readonly isScripted: boolean;
  readonly structuredOutputs: 'schema' | 'json';
  readonly limitMs: number;
  readonly isKept: boolean;
  readonly isPlain: boolean;
  readonly hasColor: boolean;
  /** Null: as wide as the terminal. */
  readonly columns: number | null;
  /** Null: slow enough to watch on a terminal, without delay elsewhere. */
  readonly paceMs: number | null;
}

/** Shown to the user without a stack: the command line or the environment is wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const HELP = `Usage: npm start -- [options]

Repairs a small project with failing tests: a supervised team plans, edits real files in a copy, runs
the real tests, takes a wrong turn, plans again, verifies and reports. Without a key only the answers of
the model are scripted. With OPENAI_API_KEY in the environment (and OPENAI_BASE_URL, OPENAI_MODEL, where
needed) the same command calls that model. It writes code, and the tests run that code on this machine.

  --goal <text>      what to do (needs a model: the script has one goal)
  --project <path>   work on a copy of your project, with tests for "node --test" (needs a model)
  --scripted         use the script even when there is a key
  --json-mode        for servers without JSON schemas
  --minutes <n>      time for the run, 1 to 120 (default 10)
  --keep             keep the folder with the copy, and the journal of the run (SQLite)
  --plain            one line for each event, even on a terminal
  --no-color         no colours (so does NO_COLOR in the environment)
  --width <columns>  40 to 500, instead of the width of the terminal
  --pace <ms>        delay of a scripted answer (default 350 on a terminal, else 0)
  --help             this text

Ctrl-C ends the run cleanly, with a report; a second Ctrl-C ends it at once.
Exit code: 0 goal achieved, 1 goal not achieved, 2 wrong arguments, 130 Ctrl-C.
`;

/** Null when help is requested. Throws a {@link UsageError} for invalid options. */
export const readArguments = (values: readonly string[]): Options | null => {
  const parsed = parsedValues(values);
  if (parsed.help === true) return null;
  return {
    goal: textOf('goal', parsed.goal),
    project: textOf('project', parsed.project),
    isScripted: parsed.scripted === true,
    structuredOutputs: parsed['json-mode'] === true ? 'json' : 'schema',
    limitMs: (numberOf('minutes', parsed.minutes, 1, 120) ?? 10) * 60_000,
    isKept: parsed.keep === true,
    isPlain: parsed.plain === true,
    hasColor: parsed['no-color'] !== true,
    columns: numberOf('width', parsed.width, 40, 500),
    paceMs: numberOf('pace', parsed.pace, 0, 60_000),
  };
};

const parsedValues = (values: readonly string[]) => {
  const flag = { type: 'boolean' } as const;
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...values],
      options: {
        goal: text,
        project: text,
        scripted: flag,
        'json-mode': flag,
        minutes: text,
        keep: flag,
        plain: flag,
        'no-color': flag,
        width: text,
        pace: text,
        help: { ...flag, short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};

const textOf = (name: string, value: string | undefined): string | null => {
  if (value?.trim() === '') throw new UsageError(`Expected a text for --${name}, got nothing`);
  return value ?? null;
};

const numberOf = (
  name: string,
  value: string | undefined,
  minimum: number,
  maximum: number,
): number | null => {
  if (value === undefined) return null;
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (number >= minimum && number <= maximum) return number;
  throw new UsageError(
    `Expected a whole number from ${minimum} to ${maximum} for --${name}, got '${value}'`,
  );
};

import { parseArgs } from 'node:util';
import type { ParseArgsConfig } from 'node:util';

import { closestName } from '../closest-name.js';

/** A mistake on the command line, with its fix. */
export class UsageError extends Error {}

type Options = NonNullable<ParseArgsConfig['options']>;

type Parsed<Known extends Options> = ReturnType<
  typeof parseArgs<{ args: string[]; allowPositionals: true; options: Known }>
>;

/** The options and names on a command line. Throws UsageError for an unknown option. */
export const parsedOptions = <Known extends Options>(
  args: readonly string[],
  options: Known,
): Parsed<Known> => {
  const { tokens } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== 'option' || Object.hasOwn(options, token.name)) continue;
    const near = closestName(token.name, Object.keys(options));
    const hint = near === undefined ? '' : `: did you mean --${near}?`;
    throw new UsageError(`Unknown option ${token.rawName}${hint}`);
  }
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};

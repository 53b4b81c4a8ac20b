import * as z from 'zod/mini';

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

type Checked<Schema extends z.core.$ZodType> = z.core.util.SafeParseResult<z.output<Schema>>;

/**
 * Checks a value with a schema of this package. `zod/mini` has no messages, and the locale of the user's zod is the
 * user's choice: our messages are made here, and no global setting of zod is changed.
 */
export const checked = <Schema extends z.core.$ZodType>(
  schema: Schema,
  value: unknown,
): Checked<Schema> => z.safeParse(schema, value, { error: issueText });

/** Checks a value with a user's schema, plain or mini. Its messages are used where it has any. */
export const checkedByUser = <Schema extends z.core.$ZodType>(
  schema: Schema,
  value: unknown,
): Checked<Schema> => {
  const { customError, localeError } = z.config();
  const hasMessages = customError !== undefined || localeError !== undefined;
  return hasMessages ? z.safeParse(schema, value) : checked(schema, value);
};

/** The message of an issue, close to zod's English locale. */
const issueText = (issue: RawIssue): string => TEXTS[issue.code](issue as never);

const INVALID = 'Invalid input';

const TEXTS: {
  readonly [Code in RawIssue['code']]: (issue: Extract<RawIssue, { code: Code }>) => string;
} = {
  invalid_type: ({ expected, input }) =>
    `${INVALID}: expected ${expected}, received ${typeText(input)}`,
  invalid_value: ({ values }) => `Invalid option: expected ${oneOf(values)}`,
  too_big: (issue) => `Too big: expected ${sizeText(issue, '<', issue.maximum)}`,
  too_small: (issue) => `Too small: expected ${sizeText(issue, '>', issue.minimum)}`,
  invalid_format: ({ format, pattern = '' }) =>
    `Invalid string: expected ${format} ${pattern}`.trim(),
  unrecognized_keys: ({ keys }) =>
    `Unrecognized ${keys.length === 1 ? 'key' : 'keys'}: ${keys.map(quoted).join(', ')}`,
  not_multiple_of: ({ divisor }) => `Invalid number: expected a multiple of ${divisor}`,
  invalid_union: ({ options }) =>
    Array.isArray(options)
      ? `Invalid option: expected ${oneOf(options)}`
      : `${INVALID}: no option matches`,
  invalid_key: () => INVALID,
  invalid_element: () => INVALID,
  custom: () => INVALID,
};

const UNITS: Readonly<Record<string, string>> = { string: ' characters', array: ' items' };

const sizeText = (
  issue: { readonly origin: string; readonly inclusive?: boolean; readonly exact?: boolean },
  sign: '<' | '>',
  bound: number | bigint,
): string => {
  const unit = UNITS[issue.origin] ?? '';
  const comparison =
    issue.exact === true ? 'exactly ' : `${sign}${issue.inclusive === true ? '=' : ''}`;
  return `${issue.origin} to ${unit === '' ? 'be' : 'have'} ${comparison}${bound}${unit}`;
};

const typeText = (value: unknown): string => {
  if (value === null) return 'null';
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return Array.isArray(value) ? 'array' : typeof value;
};

const oneOf = (values: readonly unknown[]): string =>
  `${values.length === 1 ? '' : 'one of '}${values.map(quoted).join('|')}`;

const quoted = (value: unknown): string =>
  typeof value === 'string' ? `"${value}"` : String(value);

/** The kinds of policy options. Each states its expectation in words, which error messages quote. */

import type { Issue } from '../errors.js';
import { joinPath } from '../errors.js';
import { describeValue } from './describe-value.js';

/** One option. */
export interface Option<Value = unknown> {
  /** In words that follow "Expected it to be". */
  readonly expectation: string;
  readonly accepts: (value: unknown) => value is Value;
  /** For a list: the option of each element. */
  readonly element?: Option;
}

/** Options by name. */
export interface Section<Options = unknown> {
  readonly options: { readonly [Name in keyof Options]: PartOf<Options[Name]> };
  /** Whether null turns the section off. */
  readonly isNullable: boolean;
  /** Reports options that are valid by themselves but contradict each other. */
  readonly conflictsOf: ((options: Options) => readonly Conflict[]) | undefined;
}

type Conflict = Pick<Issue, 'path' | 'message'>;

/** What describes a value of this type. */
type PartOf<Value> = [NonNullable<Value>] extends [readonly unknown[]]
  ? Option<Value>
  : [NonNullable<Value>] extends [object]
    ? Section<NonNullable<Value>>
    : Option<Value>;

/** An option or a section of any type. */
export type Part = Option | (Omit<Section<never>, 'options'> & { readonly options: object });

function option<Value>(
  expectation: string,
  accepts: (value: unknown) => boolean,
  element?: Option,
): Option<Value> {
  const narrowed = accepts as Option<Value>['accepts'];
  return { expectation, accepts: narrowed, ...(element === undefined ? {} : { element }) };
}

/** Options that belong together. */
export function section<Options extends object>(
  options: Section<Options>['options'],
  conflictsOf?: (options: Options) => readonly Conflict[],
): Section<Options> {
  return { options, isNullable: false, conflictsOf };
}

/** Options that belong together, or null. */
export function sectionOrNull<Options extends object>(
  options: Section<Options>['options'],
): Section<Options> {
  return { options, isNullable: true, conflictsOf: undefined };
}

/** A whole number; without a maximum the largest one that is still exact. */
export function integer(
  minimum: number,
  maximum: number = Number.MAX_SAFE_INTEGER,
): Option<number> {
  return option(
    maximum === Number.MAX_SAFE_INTEGER
      ? `a safe integer of at least ${minimum}`
      : `an integer from ${minimum} to ${maximum}`,
    (value) => Number.isSafeInteger(value) && isWithin(value, minimum, maximum),
  );
}

/** A number with a fraction allowed, both ends included. */
export function numberBetween(minimum: number, maximum: number): Option<number> {
  return option(`a number from ${minimum} to ${maximum}`, (value) =>
    isWithin(value, minimum, maximum),
  );
}

/** A finite number above zero. */
export function positiveNumber(): Option<number> {
  return option(
    'a number above 0 and within the safe integers',
    (value) => isWithin(value, 0, Number.MAX_SAFE_INTEGER) && value !== 0,
  );
}

/** The option, or null where null has a meaning. */
export function orNull<Value>({ expectation, accepts }: Option<Value>): Option<Value | null> {
  return option(`${expectation} or null`, (value) => value === null || accepts(value));
}

/** One of several words. */
export function choice<const Word extends string>(...words: readonly Word[]): Option<Word> {
  return option(`one of ${words.map((word) => `'${word}'`).join(', ')}`, (value) =>
    (words as readonly unknown[]).includes(value),
  );
}

/** On or off. */
export function toggle(): Option<boolean> {
  return option('true or false', (value) => typeof value === 'boolean');
}

/** At most this many non-empty agent names. */
export function agentNames(most: number): Option<readonly string[]> {
  return option(
    `a list of at most ${most} agent names`,
    (value) => Array.isArray(value) && value.length <= most,
    option('the name of an agent', (value) => typeof value === 'string' && value !== ''),
  );
}

function isWithin(value: unknown, minimum: number, maximum: number): boolean {
  return typeof value === 'number' && value >= minimum && value <= maximum;
}

/** The parts of a section by name; undefined for an option. */
export function partsOf(part: Part): Readonly<Record<string, Part>> | undefined {
  return 'options' in part ? (part.options as Readonly<Record<string, Part>>) : undefined;
}

/** Every option, by its path, in the order of the sections. */
export function optionPaths(part: Part, path = ''): readonly string[] {
  const parts = partsOf(part);
  if (parts === undefined) {
    return [path];
  }
  return Object.entries(parts).flatMap(([name, child]) => optionPaths(child, joinPath(path, name)));
}

/** One issue for each option with a wrong value, and for each section whose options contradict each other. */
export function issuesIn(part: Part, value: unknown, path = ''): readonly Issue[] {
  if (!('options' in part)) {
    return optionIssues(part, value, path);
  }
  if (value === null && part.isNullable) {
    return [];
  }
  const values = value as Readonly<Record<string, unknown>>;
  const issues = Object.entries(partsOf(part) ?? {}).flatMap(([name, child]) =>
    issuesIn(child, values[name], joinPath(path, name)),
  );
  // An option out of range often contradicts its neighbours too; one issue is enough.
  const conflicts = issues.length > 0 ? [] : (part.conflictsOf?.(value as never) ?? []);
  return [...issues, ...conflicts.map((each) => ({ code: 'conflicting-options', ...each }))];
}

function optionIssues({ accepts, expectation, element }: Option, value: unknown, path: string) {
  if (!accepts(value)) {
    const message = `Expected \`${path}\` to be ${expectation}, got ${describeValue(value)}`;
    return [{ code: 'invalid-option', path, message }];
  }
  if (element === undefined) {
    return [];
  }
  return (value as readonly unknown[]).flatMap((item, index): Issue[] =>
    optionIssues(element, item, joinPath(path, index)),
  );
}

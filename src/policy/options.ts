/** The kinds of options a policy is made of: each a zod schema described by what it expects. */

import { z } from 'zod';

/** A whole number; without a maximum the largest one that is still exact. */
export function integer(minimum: number, maximum: number = Number.MAX_SAFE_INTEGER): z.ZodInt {
  const expectation =
    maximum === Number.MAX_SAFE_INTEGER
      ? `a safe integer of at least ${minimum}`
      : `an integer from ${minimum} to ${maximum}`;
  return z.int().min(minimum).max(maximum).describe(expectation);
}

/** A number with a fraction allowed, both ends included. */
export function numberBetween(minimum: number, maximum: number): z.ZodNumber {
  return z.number().min(minimum).max(maximum).describe(`a number from ${minimum} to ${maximum}`);
}

/** A finite number above zero. */
export function positiveNumber(): z.ZodNumber {
  return z
    .number()
    .positive()
    .max(Number.MAX_SAFE_INTEGER)
    .describe('a number above 0 and within the safe integers');
}

/** The option, or null where null has a meaning of its own. */
export function orNull<Option extends z.ZodType>(option: Option): z.ZodNullable<Option> {
  return z.nullable(option).describe(`${expectationOf(option)} or null`);
}

/** One of a few words. */
export function choice<const Word extends string>(
  ...words: readonly Word[]
): z.ZodEnum<{ [Key in Word]: Key }> {
  return z.enum(words).describe(`one of ${words.map((word) => `'${word}'`).join(', ')}`);
}

/** On or off. */
export function toggle(): z.ZodBoolean {
  return z.boolean().describe('true or false');
}

/** What an option expects, in words that follow "Expected it to be". */
export function expectationOf(option: z.core.$ZodType): string {
  return z.globalRegistry.get(option)?.description ?? 'an object of options';
}

/** The options of a section by name; undefined for an option that is no section. */
export function sectionShape(
  option: z.core.$ZodType,
): Readonly<Record<string, z.core.$ZodType>> | undefined {
  const section = option instanceof z.ZodNullable ? option.unwrap() : option;
  return section instanceof z.ZodObject ? section.shape : undefined;
}

/** What is inside a section or a list by this name; the option itself when it has no inside. */
export function childOption(option: z.core.$ZodType, name: PropertyKey): z.core.$ZodType {
  if (option instanceof z.ZodArray) {
    return option.element;
  }
  return sectionShape(option)?.[String(name)] ?? option;
}

/** Every option that is no section, by its path, in the order of the schema. */
export function optionPaths(option: z.core.$ZodType, path = ''): readonly string[] {
  const shape = sectionShape(option);
  if (shape === undefined) {
    return [path];
  }
  return Object.entries(shape).flatMap(([name, child]) => optionPaths(child, joinPath(path, name)));
}

/** `limits` and `maxReplans` as `limits.maxReplans`; a list position as `approval.agents[2]`. */
export function joinPath(path: string, name: PropertyKey): string {
  if (typeof name === 'number') {
    return `${path}[${name}]`;
  }
  return path === '' ? String(name) : `${path}.${String(name)}`;
}

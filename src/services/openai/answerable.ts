import * as z from 'zod/mini';

import type { Issue } from '../../errors.js';

/** Types that no JSON value fits, and what to write instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  date: 'z.iso.datetime(), or z.coerce.date()',
  bigint: 'z.int(), or z.coerce.bigint()',
  custom: 'a type that JSON has, with refine() for the rule',
  never: 'the type that you expect',
  undefined: 'z.null(), or optional()',
  void: 'z.null()',
  symbol: 'z.string() or z.enum()',
  map: 'z.record()',
  set: 'z.array()',
  nan: 'z.number()',
  function: 'a type that JSON has',
  promise: 'the type that you expect',
  file: 'z.base64(), or a path',
};

/** The parts of a schema that a model cannot answer, because it answers in JSON. */
export const unanswerableParts = (schema: unknown, path: string): Issue[] => {
  let issues: Issue[] = [];
  // Zod visits the parts of a schema before the schema itself.
  const look: NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override'] = (part) => {
    const { def } = part.zodSchema._zod;
    const place = `${path}${placeOf(part.path)}`;
    if (isPreprocess(def)) issues = issues.filter((issue) => !issue.path.startsWith(place));
    const instead = INSTEAD[def.type];
    if (instead === undefined || ('coerce' in def && def.coerce)) return;
    const message = `A model answers in JSON, which has no z.${def.type}(): use ${instead}`;
    issues.push({ code: 'unanswerable-schema', path: place, message });
  };
  try {
    z.toJSONSchema(schema as z.core.$ZodType, {
      io: 'input',
      unrepresentable: 'any',
      override: look,
    });
  } catch {
    const message = 'Expected a schema of zod, such as z.object({ answer: z.string() })';
    return [{ code: 'invalid-option', path, message }];
  }
  return issues;
};

/** A function makes the value from any JSON before the rest of the schema sees it. */
const isPreprocess = (def: z.core.$ZodTypeDef): boolean =>
  def.type === 'pipe' && (def as z.core.$ZodPipeDef).in._zod.def.type === 'transform';

/** `['properties', 'days', 'items', 'properties', 'when']` as `.days[].when`. */
const placeOf = (path: readonly (string | number)[]): string =>
  path
    .flatMap((name, index) => {
      if (path[index - 1] === 'properties') return [`.${name}`];
      return name === 'items' ? ['[]'] : [];
    })
    .join('');

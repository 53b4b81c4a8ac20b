import { closestName, suggestion } from '../closest-name.js';
import type { Issue } from '../errors.js';
import { joinPath } from '../errors.js';
import { planSchema, stepSchema, votesSchema } from '../model/plan.js';

/** A planner learns nothing from more, and a plan may have a million keys. */
const ISSUES_MAX = 50;

/**
 * The keys of a plan that mean nothing. Each is an error in a plan that a person wrote. Models add keys of their own,
 * such as `priority`: those are warnings, and dropped. A key that stands for one of ours is an error for both, because
 * dropping it would change the plan: without `depends_on` steps run side by side, without `needsApproval` unasked.
 */
export const unknownKeyIssues = (
  plan: object,
  { isGiven }: { readonly isGiven: boolean },
): Issue[] => {
  const issues = issuesOf(plan, planSchema.shape, '', isGiven);
  const steps: unknown = Reflect.get(plan, 'steps');
  for (const [index, step] of Array.isArray(steps) ? steps.entries() : []) {
    if (issues.length >= ISSUES_MAX) break;
    const path = `steps[${index}]`;
    issues.push(...issuesOf(step, stepSchema.shape, path, isGiven));
    if (!isObject(step) || !('votes' in step)) continue;
    issues.push(...issuesOf(step.votes, votesSchema.shape, `${path}.votes`, isGiven));
  }
  return issues.slice(0, ISSUES_MAX);
};

const issuesOf = (value: unknown, shape: object, path: string, isGiven: boolean): Issue[] => {
  if (!isObject(value) || Array.isArray(value)) return [];
  const known = Object.keys(shape);
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(shape, key));
  return unknown.slice(0, ISSUES_MAX).map((key): Issue => {
    const place = joinPath(path, key.slice(0, 80));
    const meant = meantKey(key, known);
    const hint = meant === undefined ? suggestion(key, known) : `. Did you mean \`${meant}\`?`;
    const message = `There is no \`${key.slice(0, 80)}\` in a plan${hint}`;
    const issue = { code: 'unknown-key', path: place, message };
    return isGiven || meant !== undefined ? issue : { ...issue, severity: 'warning' };
  });
};

/** The key that another spelling stands for: other case or separators, one wrong letter, or a word for the same thing. */
const meantKey = (key: string, known: readonly string[]): string | undefined => {
  const plain = key.slice(0, 80).replaceAll(/[-_ ]/g, '');
  const word = SYNONYMS.find(([name, pattern]) => known.includes(name) && pattern.test(plain));
  return closestName(plain, known, lettersOff) ?? word?.[0];
};

/** Short words are too close to each other: `notes` is not a misspelt `votes`. */
const lettersOff = (name: string): number => (name.length > 6 ? 1 : 0);

/** Words that models use for the keys that change how a plan runs. */
const SYNONYMS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['dependsOn', /^depend/i],
  ['requiresApproval', /^(?:needs?|requires?)(?:human)?approval/i],
];

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

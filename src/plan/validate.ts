import { checked } from '../model/check.js';
import type { Issue } from '../errors.js';
import { pathText } from '../errors.js';
import { findCycle } from './cycle.js';
import type { ProposedPlan, ProposedStep } from '../model/plan.js';
import { planSchema, STEP_ID_PATTERN, TASK_CHARACTERS_MAX } from '../model/plan.js';
import { unknownKeyIssues } from './unknown-keys.js';
import { unreadablePath } from './unreadable.js';
import { hasHiddenCharacters } from './visible-text.js';

/** Seed 003's practice: a shorter or longer description is usually not one atomic task. */
const TASK_CHARACTERS_ADVISED = { min: 15, max: 200 } as const;

/** A planner learns nothing from more issues, and its next prompt would only grow. */
const ISSUES_MAX = 50;

export interface PlanRules {
  /** The registered agents. A plan may name only these. */
  readonly agents: readonly string[];
  /** The most steps one plan may propose. */
  readonly maxSteps: number;
  /** The most votes a step may ask for; 1 means no voting. @default 1 */
  readonly maxVotes?: number;
  /** Steps of earlier revisions that a new step may depend on. */
  readonly existingStepIds?: readonly string[];
  /**
   * Whether a person wrote the plan. Then every key that a plan does not have is an error. A planner's plan may have
   * keys of its own: they are dropped with a warning, except misspelt ones. @default false
   */
  readonly isGiven?: boolean;
  /** Redacts a text before it is quoted and cut in an issue. */
  readonly redactText?: ((text: string) => string) | undefined;
}

export type PlanValidation =
  | { readonly ok: true; readonly plan: ProposedPlan; readonly warnings: readonly Issue[] }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/**
 * Validates a proposed plan and reports all issues at once.
 *
 * @example
 * validatePlan({ steps: [{ id: 's1', agent: 'writer', task: 'Write the code' }] }, { agents: ['coder'], maxSteps: 15
 * });
 * // { ok: false, issues: [{ code: 'unknown-agent', path: 'steps[0].agent', message: '…known agents: coder' }] }
 */
export const validatePlan = (candidate: unknown, rules: PlanRules): PlanValidation => {
  try {
    return validateReadable(candidate, rules);
  } catch {
    const message = 'Expected a plan that can be read, but reading it threw an error';
    const path = unreadablePath(candidate) ?? '';
    return { ok: false, issues: [{ code: 'unreadable-plan', path, message }] };
  }
};

const validateReadable = (candidate: unknown, rules: PlanRules): PlanValidation => {
  const tooLarge = sizeIssue(candidate, rules);
  if (tooLarge !== undefined) return { ok: false, issues: [tooLarge] };
  const parsed = checked(planSchema, candidate);
  const unknown = unknownKeyIssues(candidate as object, { isGiven: rules.isGiven === true });
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => ({
      code: 'invalid-shape',
      path: pathText(issue.path),
      message: issue.message,
    }));
    const misspelt = unknown.filter((issue) => issue.severity !== 'warning');
    return { ok: false, issues: [...misspelt, ...issues].slice(0, ISSUES_MAX) };
  }
  const plan = withUniqueDependencies(parsed.data);
  const found = [
    ...unknown,
    ...textIssues(plan.analysis, 'analysis'),
    ...textIssues(plan.successCriteria, 'successCriteria'),
    ...plan.steps.flatMap((step, index) => stepIssues(step, index, rules)),
    ...duplicateIssues(plan.steps, rules),
    ...dependencyIssues(plan.steps, rules),
  ];
  const errors = found.filter((issue) => issue.severity !== 'warning');
  if (errors.length === 0) errors.push(...cycleIssues(plan.steps));
  if (errors.length > 0) return { ok: false, issues: errors.slice(0, ISSUES_MAX) };
  return { ok: true, plan, warnings: found.slice(0, ISSUES_MAX) };
};

/** Checked before the schema, so that a huge plan costs nothing. */
const sizeIssue = (candidate: unknown, rules: PlanRules): Issue | undefined => {
  if (typeof candidate !== 'object' || candidate === null || !('steps' in candidate)) {
    const hint = candidate instanceof Promise ? ', got a promise: await it first' : '';
    return { code: 'invalid-shape', path: '', message: `Expected a plan: { steps: [...] }${hint}` };
  }
  const { steps } = candidate;
  if (Array.isArray(steps) && steps.length > rules.maxSteps) {
    const message = `Expected at most ${rules.maxSteps} steps (limits.maxSteps), got ${steps.length}`;
    return { code: 'plan-too-large', path: 'steps', message };
  }
  return undefined;
};

const withUniqueDependencies = (plan: ProposedPlan): ProposedPlan => ({
  ...plan,
  steps: plan.steps.map((step) =>
    step.dependsOn.length < 2 ? step : { ...step, dependsOn: [...new Set(step.dependsOn)] },
  ),
});

const stepIssues = (step: ProposedStep, index: number, rules: PlanRules): Issue[] => {
  const issues: Issue[] = [];
  if (!STEP_ID_PATTERN.test(step.id)) {
    const message = `Expected an id of letters, digits, _ or -, starting with a letter, at most 64 characters, got ${quote(step.id, rules)}`;
    issues.push({ code: 'invalid-step-id', path: `steps[${index}].id`, message });
  }
  if (!rules.agents.includes(step.agent)) {
    const message = `Unknown agent ${quote(step.agent, rules)}; known agents: ${namesOf(rules.agents)}`;
    issues.push({ code: 'unknown-agent', path: `steps[${index}].agent`, message });
  }
  issues.push(...taskIssues(step.task, `steps[${index}].task`));
  issues.push(...textIssues(step.reason, `steps[${index}].reason`));
  issues.push(...votesIssues(step, `steps[${index}].votes`, rules));
  return issues;
};

const votesIssues = (
  { votes }: ProposedStep,
  path: string,
  { maxVotes = 1 }: PlanRules,
): Issue[] => {
  if (votes === undefined || votes.count <= maxVotes) return [];
  const message =
    maxVotes < 2
      ? `Expected no votes (limits.maxVotes is 1), got ${votes.count}: leave them out`
      : `Expected at most ${maxVotes} votes (limits.maxVotes), got ${votes.count}: ask for fewer`;
  return [{ code: 'too-many-votes', path: `${path}.count`, message }];
};

const taskIssues = (task: string, path: string): Issue[] => {
  const length = task.trim().length;
  if (length === 0)
    return [{ code: 'empty-task', path, message: 'Expected a task, got an empty text' }];
  if (length > TASK_CHARACTERS_MAX) {
    const message = `Expected at most ${TASK_CHARACTERS_MAX} characters, got ${length}`;
    return [{ code: 'plan-too-large', path, message }];
  }
  const { min, max } = TASK_CHARACTERS_ADVISED;
  if (length >= min && length <= max) return textIssues(task, path);
  const message = `A task of ${min} to ${max} characters is easiest to do well, got ${length}`;
  return [{ code: 'task-length', path, message, severity: 'warning' }, ...textIssues(task, path)];
};

/** A warning: the text may have been pasted. Agents receive it unchanged; approvers see hidden characters escaped. */
const textIssues = (text: string | undefined, path: string): Issue[] => {
  if (text === undefined || !hasHiddenCharacters(text)) return [];
  const message = 'Contains invisible characters; approvers see them escaped';
  return [{ code: 'hidden-characters', path, message, severity: 'warning' }];
};

/** Ids that look the same to a person are duplicates too. */
const duplicateIssues = (steps: readonly ProposedStep[], rules: PlanRules): Issue[] => {
  const firstIndexById = new Map<string, number>();
  return steps.flatMap((step, index) => {
    const folded = step.id.normalize('NFC').toLowerCase();
    const first = firstIndexById.get(folded);
    if (first === undefined) {
      firstIndexById.set(folded, index);
      return [];
    }
    const message = `Step id ${quote(step.id, rules)} is already used by steps[${first}]`;
    return [{ code: 'duplicate-step-id', path: `steps[${index}].id`, message }];
  });
};

const dependencyIssues = (steps: readonly ProposedStep[], rules: PlanRules): Issue[] => {
  const known = new Set([...(rules.existingStepIds ?? []), ...steps.map((step) => step.id)]);
  return steps.flatMap((step, index) =>
    step.dependsOn.flatMap((dependency, position) => {
      const path = `steps[${index}].dependsOn[${position}]`;
      if (dependency === step.id) {
        return [
          {
            code: 'self-dependency',
            path,
            message: `Step ${quote(step.id, rules)} depends on itself`,
          },
        ];
      }
      if (known.has(dependency)) return [];
      const message = `Step ${quote(step.id, rules)} depends on ${quote(dependency, rules)}, which is not in the plan`;
      return [{ code: 'unknown-dependency', path, message }];
    }),
  );
};

const cycleIssues = (steps: readonly ProposedStep[]): Issue[] => {
  const cycle = findCycle(steps);
  if (cycle === undefined) return [];
  return [
    {
      code: 'cyclic-dependency',
      path: 'steps',
      message: cycleText(cycle),
    },
  ];
};

/** How many names a message lists: it goes into reports, journals and prompts. */
const NAMES_MAX = 20;

const namesOf = (names: readonly string[]): string => {
  const rest = names.length > NAMES_MAX ? ` and ${names.length - NAMES_MAX} more` : '';
  return `${names.slice(0, NAMES_MAX).join(', ')}${rest}`;
};

/** The cycle ends where it starts, also when its middle is left out. */
const cycleText = (cycle: readonly string[]): string => {
  if (cycle.length <= NAMES_MAX) return `Dependency cycle: ${cycle.join(' -> ')}`;
  const start = cycle.slice(0, NAMES_MAX - 1).join(' -> ');
  const left = cycle.length - NAMES_MAX;
  return `Dependency cycle of ${cycle.length - 1} steps: ${start} -> ... ${left} more ... -> ${cycle.at(-1)}`;
};

/** Quoted, escaped and short: the text comes from a model and goes into messages and prompts. */
const quote = (said: string, { redactText = (same) => same }: PlanRules): string => {
  const text = redactText(said);
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
};

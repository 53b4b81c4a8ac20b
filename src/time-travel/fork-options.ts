import * as z from 'zod/mini';

import type { Issue } from '../errors.js';
import { pathText, TimeTravelError } from '../errors.js';
import { checked } from '../model/check.js';
import type { Command } from '../model/commands.js';
import { parseCommand } from '../model/commands.js';
import type { ChangedAnswer } from './fork.types.js';
import type { RecordedRun } from './recorded-run.js';
import { relativeKey } from './same-facts.js';

/* Validates a fork; reports all issues at once. */

/** A valid fork. */
export interface CheckedFork {
  readonly runId: string;
  readonly atSequence: number;
  readonly goal: string | undefined;
  /** The plan that the run starts with. */
  readonly plan: unknown;
  /** By the keys of the calls, without the id of their run. */
  readonly answers: ReadonlyMap<string, ChangedAnswer>;
  readonly commands: readonly Command[];
}

const key = z.string().check(z.minLength(1), z.maxLength(2_000));
const answer = z.union([
  z.strictObject({ key, throws: z.string().check(z.maxLength(20_000)) }),
  z.strictObject({ key, returns: z.unknown() }).check(({ value, issues }) => {
    const message = 'Expected `returns` or `throws`';
    if (!('returns' in value)) issues.push({ code: 'custom', input: value, message });
  }),
]);

const optionsSchema = z.strictObject({
  atSequence: z.int().check(z.minimum(0)),
  runId: z.optional(z.string()),
  changes: z.optional(
    z.strictObject({
      goal: z.optional(z.string()),
      plan: z.optional(z.unknown()),
      policy: z.optional(z.unknown()),
      answers: z.optional(z.array(answer).check(z.maxLength(10_000))),
      commands: z.optional(z.array(z.unknown()).check(z.maxLength(10_000))),
    }),
  ),
});

export type ForkRequest = z.infer<typeof optionsSchema>;

/** Validates the shape of the options. {@link checkFork} checks them against the run. */
export const parseFork = (candidate: unknown): ForkRequest => {
  const parsed = readOptions(candidate);
  if (parsed.success) return parsed.data;
  throw new TimeTravelError(
    parsed.error.issues.map((issue) => ({
      code: 'invalid-fork',
      path: pathText(issue.path),
      message: issue.message,
    })),
  );
};

const readOptions = (candidate: unknown): ReturnType<typeof checked<typeof optionsSchema>> => {
  try {
    return checked(optionsSchema, candidate);
  } catch {
    const message = 'Expected options that can be read, but reading them threw an error';
    throw new TimeTravelError([{ code: 'invalid-fork', path: '', message }]);
  }
};

/** Checks the fork against its parent; `issues` are those found elsewhere, so that all are reported at once. */
export const checkFork = (
  parent: RecordedRun,
  { atSequence, changes = {} }: ForkRequest,
  runId: string,
  issues: Issue[],
): CheckedFork => {
  const { goal, plan } = changes;
  issues.push(...sequenceIssues(parent, atSequence, goal));
  const answers = changedAnswers(parent, changes.answers ?? [], atSequence, issues);
  if (atSequence > 0 && plan !== undefined) {
    answerPlanner(parent, plan, atSequence, answers, issues);
  }
  const commands = parsedCommands(changes.commands ?? [], issues);
  if (issues.length > 0) throw new TimeTravelError(issues);
  return { runId, atSequence, goal, plan: atSequence === 0 ? plan : undefined, answers, commands };
};

/** A plan in the middle of a run is the answer to the planner call in flight. */
const answerPlanner = (
  parent: RecordedRun,
  plan: unknown,
  atSequence: number,
  answers: Map<string, ChangedAnswer>,
  issues: Issue[],
): void => {
  const planner = openPlanner(parent, atSequence);
  if (planner === undefined) issues.push(noPlannerIssue);
  else answers.set(planner, { key: planner, returns: plan });
};

const sequenceIssues = (
  parent: RecordedRun,
  atSequence: number,
  goal: string | undefined,
): Issue[] => {
  const issues: Issue[] = [];
  const factCount = lastSequence(parent);
  if (atSequence > factCount) {
    const message = `Expected a whole number from 0 to ${factCount}, got ${atSequence}`;
    issues.push({ code: 'invalid-sequence', path: 'atSequence', message });
  }
  if (goal !== undefined && atSequence > 0) {
    const message = 'A run starts with its goal: another goal needs `atSequence: 0`';
    issues.push({ code: 'too-late', path: 'changes.goal', message });
  }
  return issues;
};

const changedAnswers = (
  parent: RecordedRun,
  given: readonly ChangedAnswer[],
  atSequence: number,
  issues: Issue[],
): Map<string, ChangedAnswer> => {
  const answers = new Map<string, ChangedAnswer>();
  for (const [index, change] of given.entries()) {
    const path = `changes.answers[${index}]`;
    const relative = relativeKey(change.key, parent.runId);
    const issue = answerIssue(parent, change.key, relative, atSequence, path);
    if (issue !== undefined) issues.push(issue);
    else answers.set(relative ?? '', change);
  }
  return answers;
};

const lastSequence = ({ entries }: RecordedRun): number =>
  entries.reduce((last, { facts }) => facts.at(-1)?.sequence ?? last, 0);

const noPlannerIssue: Issue = {
  code: 'no-planner-asked',
  path: 'changes.plan',
  message:
    'At this fact no planner call is in flight: fork at 0, or between a `replan.started` and its `plan.proposed`',
};

const answerIssue = (
  parent: RecordedRun,
  given: string,
  relative: string | undefined,
  atSequence: number,
  path: string,
): Issue | undefined => {
  const call = relative === undefined ? undefined : parent.calls.get(relative);
  if (relative === undefined) {
    const message = `Expected the key of a call of run '${parent.runId}', got '${given.slice(0, 80)}'`;
    return { code: 'unknown-call', path, message };
  }
  const settled = call === undefined ? undefined : sequenceOf(parent, call.input.key, SETTLING);
  if (settled === undefined || settled > atSequence) return undefined;
  const called = sequenceOf(parent, given, ['agent.called']) ?? 1;
  const message = `By fact ${atSequence} the call was answered: fork at ${called}, where it was made, or before`;
  return { code: 'too-late', path, message };
};

const SETTLING: readonly string[] = ['agent.answered', 'agent.failed'];

const sequenceOf = (
  { entries }: RecordedRun,
  callKey: string,
  types: readonly string[],
): number | undefined =>
  entries
    .flatMap(({ facts }) => facts)
    .find((fact) => types.includes(fact.type) && 'key' in fact && fact.key === callKey)?.sequence;

/** The planner call in flight at this fact, without the id of its run. */
const openPlanner = (parent: RecordedRun, atSequence: number): string | undefined => {
  for (const [relative, { input }] of parent.calls) {
    if (input.request.role !== 'planner') continue;
    const called = sequenceOf(parent, input.key, ['agent.called']);
    const settled = sequenceOf(parent, input.key, SETTLING) ?? Number.POSITIVE_INFINITY;
    if (called !== undefined && called <= atSequence && settled > atSequence) return relative;
  }
  return undefined;
};

const parsedCommands = (candidates: readonly unknown[], issues: Issue[]): Command[] =>
  candidates.flatMap((candidate, index) => {
    const parsed = parseCommand(candidate);
    if (parsed.ok) return [parsed.command];
    const path = `changes.commands[${index}]`;
    issues.push({ code: 'invalid-command', path, message: parsed.reason });
    return [];
  });

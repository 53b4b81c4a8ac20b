import * as z from 'zod/mini';

import { pathText } from '../errors.js';
import { checked } from './check.js';

/*
 * Commands to a run, checked where they enter: at the run, and in the chart of a plain actor. Routes are internal to
 * the charts: a command from outside starts with an empty one, and events that charts raise among themselves are not in
 * this list.
 */

/**
 * The route back to the chart that asked: ids from the innermost actor outwards. Every chart that passes a question on
 * adds its own id; every chart that passes the answer back removes one.
 */
export type Route = readonly string[];

/** A person's answer to a question. */
type Answer =
  | {
      readonly type: 'approval.grant';
      readonly requestId: string;
      readonly answer: string;
      /** Who answered, as the sender names that person. */
      readonly by?: string | undefined;
    }
  | {
      readonly type: 'approval.reject';
      readonly requestId: string;
      readonly reason: string;
      readonly by?: string | undefined;
    };

/** An answer on its way to the chart that asked. */
export type ApprovalAnswer = Answer & { readonly route: Route };

/** Commands to a run: the only events that come from outside. */
export type Command =
  | Answer
  | {
      readonly type: 'plan.skip';
      readonly stepIds: readonly string[];
      readonly reason?: string | undefined;
    }
  | {
      readonly type: 'plan.skipTo';
      readonly stepId: string;
      readonly reason?: string | undefined;
    }
  | { readonly type: 'conversation.say'; readonly text: string }
  | { readonly type: 'run.pause' }
  | { readonly type: 'run.unpause' }
  | { readonly type: 'time.extend'; readonly extraMs: number }
  | { readonly type: 'run.abort'; readonly reason: string };

const text = z.string().check(z.maxLength(20_000));
const id = z.string().check(z.minLength(1), z.maxLength(1_000));
const by = z.optional(id);
const route = z._default(z.array(z.never()), []);

/** Seed 003's three ways to change a plan while it runs; one of them changes nothing. */
const planModifications = [
  z.object({
    type: z.literal('plan.skip'),
    stepIds: z.array(id).check(z.minLength(1), z.maxLength(100_000)),
    reason: z.optional(text),
  }),
  z.object({ type: z.literal('plan.skipTo'), stepId: id, reason: z.optional(text) }),
  z.object({ type: z.literal('conversation.say'), text }),
] as const;

const commandSchema = z.discriminatedUnion('type', [
  ...planModifications,
  // Strict: an answer with a misspelt or unknown member must not count as an approval.
  z.strictObject({ type: z.literal('approval.grant'), requestId: id, answer: text, by, route }),
  z.strictObject({ type: z.literal('approval.reject'), requestId: id, reason: text, by, route }),
  z.object({ type: z.literal('run.pause') }),
  z.object({ type: z.literal('run.unpause') }),
  z.object({
    type: z.literal('time.extend'),
    extraMs: z.int().check(z.minimum(1)),
  }),
  z.object({ type: z.literal('run.abort'), reason: text }),
]);

/** As many as a caller reads; a list of 100,000 steps may have as many mistakes. */
const ISSUES_MAX = 5;

export type ParsedCommand =
  | { readonly ok: true; readonly command: Command }
  | { readonly ok: false; readonly reason: string };

/** A validated command, or all of its issues. */
export const parseCommand = (candidate: unknown): ParsedCommand => {
  try {
    const parsed = checked(commandSchema, candidate);
    if (parsed.success) return { ok: true, command: parsed.data };
    const issues = parsed.error.issues
      .slice(0, ISSUES_MAX)
      .map((issue) => `${pathText(issue.path)}: ${issue.message}`);
    return { ok: false, reason: `invalid-command: ${issues.join('; ')}` };
  } catch {
    // A proxy or a getter that throws when it is read.
    return { ok: false, reason: 'invalid-command: reading it threw an error' };
  }
};

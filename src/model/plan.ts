import * as z from 'zod/mini';

/** Step ids are part of keys, paths and child ids, so they must never need escaping. */
export const STEP_ID_PATTERN = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** A longer task text is data, not a task. */
export const TASK_CHARACTERS_MAX = 20_000;

const boundedText = z.string().check(z.maxLength(TASK_CHARACTERS_MAX));

/** How hard a step is, by the planner's estimate. */
export const complexitySchema = z.enum(['simple', 'medium', 'complex']);

/** How the winner of several votes is chosen. */
export const chooseSchema = z.enum(['majority', 'bestConfidence']);

/** How large the whole goal is, by the planner's estimate. */
export const scopeSchema = z.enum(['trivial', 'simple', 'moderate', 'complex']);

/** The same task called several times, and how one answer is chosen. The policy bounds the count. */
export const votesSchema = z.object({
  count: z.int().check(z.minimum(2)),
  /**
   * `majority`: the answer of more than half of the votes; `bestConfidence`: the answer with the highest confidence.
   */
  choose: chooseSchema,
});

/** One step as a planner proposes it. Unknown keys are dropped or refused: a plan can never carry a limit or an approval. */
export const stepSchema = z.object({
  id: z.string(),
  agent: z.string(),
  task: z.string(),
  dependsOn: z._default(z.array(z.string()), []),
  complexity: z._default(complexitySchema, 'medium'),
  /** Why the planner wants this step; shown to people, never acted on. */
  reason: z.optional(boundedText),
  /** True adds a human approval; false never removes one. */
  requiresApproval: z._default(z.boolean(), false),
  votes: z.optional(votesSchema),
});

/** A plan as a planner proposes it. */
export const planSchema = z.object({
  analysis: z._default(boundedText, ''),
  steps: z.array(stepSchema),
  scope: z.optional(scopeSchema),
  successCriteria: z.optional(boundedText),
});

export type Complexity = z.infer<typeof complexitySchema>;
export type Scope = z.infer<typeof scopeSchema>;
export type Votes = Readonly<z.infer<typeof votesSchema>>;
export type ProposedStep = z.infer<typeof stepSchema>;
export type ProposedPlan = z.infer<typeof planSchema>;

/** What a planner function returns: agent names autocomplete, everything optional has a default. */
export interface Plan<AgentName extends string = string> {
  readonly analysis?: string;
  readonly steps: readonly PlanStep<AgentName>[];
  readonly scope?: Scope;
  readonly successCriteria?: string;
}

/** One step of a {@link Plan}. */
export interface PlanStep<AgentName extends string = string> {
  readonly id: string;
  readonly agent: AgentName;
  readonly task: string;
  readonly dependsOn?: readonly string[];
  readonly complexity?: Complexity;
  readonly reason?: string;
  readonly requiresApproval?: boolean;
  /** Calls the agent `count` times, one call after the other; at most `limits.maxVotes`. */
  readonly votes?: Votes;
}

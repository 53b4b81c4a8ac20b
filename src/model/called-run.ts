import type { JsonValue } from '../canonical-json.js';

/** Names and values for finding runs: tenant, user, ticket. */
export type Labels = Readonly<Record<string, string>>;

/** The run that a call belongs to. Every agent and role receives it. */
export interface CalledRun<Input = JsonValue> {
  readonly runId: string;
  /** The labels that the run was started with. */
  readonly labels: Labels;
  /** The input that the run was started with, as the orchestrator's `input` schema returned it; null without one. */
  readonly input: Input;
}

export const NO_LABELS: Labels = Object.freeze({});

import type { Usage } from '../model/usage.js';
import * as z from 'zod/mini';

/**
 * What an agent returns besides a plain output. Reports are made by the functions below and carry a marker, so that an
 * ordinary output that happens to look like a report stays an output.
 */
export type AgentReport<Output = unknown, Target extends string = string> =
  | DoneReport<Output>
  | NeedsContextReport
  | HandOffReport<Target>
  | RequestReplanReport<Target>
  | BlockedReport
  | AskHumanReport;

/** What an agent may add to its report. */
export interface ReportMeta {
  /** How sure the agent is, 0 to 1; compared with `approval.confidenceBelow`. */
  readonly confidence?: number;
  readonly usage?: Usage;
}

interface Marked extends ReportMeta {
  readonly [reportMarker]: true;
}

export interface DoneReport<Output = unknown> extends Marked {
  readonly kind: 'done';
  readonly output: Output;
}
export interface NeedsContextReport extends Marked {
  readonly kind: 'needsContext';
  readonly suggestion: string;
  readonly output?: unknown;
}
export interface HandOffReport<Target extends string = string> extends Marked {
  readonly kind: 'handOff';
  readonly agent: Target;
  readonly task: string;
  readonly output?: unknown;
}
export interface RequestReplanReport<Target extends string = string> extends Marked {
  readonly kind: 'requestReplan';
  readonly reason: string;
  readonly agents: readonly Target[];
  readonly output?: unknown;
}
export interface BlockedReport extends Marked {
  readonly kind: 'blocked';
  readonly reason: string;
}
export interface AskHumanReport extends Marked {
  readonly kind: 'askHuman';
  readonly question: string;
  readonly payload?: unknown;
}

/** Registered, so that two copies of this package agree. */
const reportMarker: unique symbol = Symbol.for('planwright.report');

/** The step is done; `output` is kept and given to the steps that depend on it. */
export const done = <Output>(output: Output, meta: ReportMeta = {}): DoneReport<Output> => ({
  ...meta,
  [reportMarker]: true,
  kind: 'done',
  output,
});

/** The step is done as far as possible; the planner should add what is missing. Spends one replan. */
export const needsContext = (
  suggestion: string,
  partial?: unknown,
  meta: ReportMeta = {},
): NeedsContextReport => ({
  ...meta,
  [reportMarker]: true,
  kind: 'needsContext',
  suggestion,
  output: partial,
});

/** Another agent should do a task next. Adds one step without asking the planner; spends one replan. */
export const handOff = <Target extends string>(
  to: { readonly agent: Target; readonly task: string },
  partial?: unknown,
  meta: ReportMeta = {},
): HandOffReport<Target> => ({
  ...meta,
  [reportMarker]: true,
  kind: 'handOff',
  agent: to.agent,
  task: to.task,
  output: partial,
});

/** The plan no longer fits; the planner should make a new one. Spends one replan. */
export const requestReplan = <Target extends string = never>(
  request: { readonly reason: string; readonly agents?: readonly Target[] },
  partial?: unknown,
  meta: ReportMeta = {},
): RequestReplanReport<Target> => ({
  ...meta,
  [reportMarker]: true,
  kind: 'requestReplan',
  reason: request.reason,
  agents: request.agents ?? [],
  output: partial,
});

/** The step cannot be done this way. It is attempted again, then gets a sub-plan, then fails. */
export const blocked = (reason: string, meta: ReportMeta = {}): BlockedReport => ({
  ...meta,
  [reportMarker]: true,
  kind: 'blocked',
  reason,
});

/** A person decides before the step continues; the answer comes back as feedback. */
export const askHuman = (
  request: { readonly question: string; readonly payload?: unknown },
  meta: ReportMeta = {},
): AskHumanReport => ({
  ...meta,
  [reportMarker]: true,
  kind: 'askHuman',
  question: request.question,
  payload: request.payload,
});

export const isReport = (value: unknown): value is AgentReport =>
  typeof value === 'object' && value !== null && reportMarker in value;

const text = z.string().check(z.minLength(1), z.maxLength(20_000));

const meta = {
  confidence: z.optional(z.number().check(z.minimum(0), z.maximum(1))),
  /** Read separately: malformed usage never invalidates the answer. */
  usage: z.optional(z.unknown()),
};

/** Validates reports at the boundary; the marker is removed, and `output` is checked separately. */
export const agentReportSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('done'), output: z.unknown(), ...meta }),
  z.object({ kind: z.literal('needsContext'), suggestion: text, output: z.unknown(), ...meta }),
  z.object({ kind: z.literal('handOff'), agent: text, task: text, output: z.unknown(), ...meta }),
  z.object({
    kind: z.literal('requestReplan'),
    reason: text,
    agents: z.array(text).check(z.maxLength(100)),
    output: z.unknown(),
    ...meta,
  }),
  z.object({ kind: z.literal('blocked'), reason: text, ...meta }),
  z.object({ kind: z.literal('askHuman'), question: text, payload: z.unknown(), ...meta }),
]);

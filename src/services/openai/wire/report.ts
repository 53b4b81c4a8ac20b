import * as z from 'zod/mini';

import type { AgentReport, ReportMeta } from '../../../agents/report.js';
import {
  agentReportSchema,
  askHuman,
  blocked,
  done,
  handOff,
  needsContext,
  requestReplan,
} from '../../../agents/report.js';
import { checked, checkedByUser } from '../../../model/check.js';
import type { AnswerFormat, Reading } from '../answer-format.js';
import { jsonFormat } from '../answer-format.js';
import { described } from '../described.js';
import { schemaIssues } from '../issues.js';

/** Makes the report once its usage is known. */
export type ReportMaker = (usage: ReportMeta['usage']) => AgentReport;

/** A report as a model writes it. Optional members are null: strict servers require every key. */
type Wire =
  | (Meta & { readonly kind: 'done'; readonly output?: unknown })
  | (Meta & { readonly kind: 'needsContext'; readonly suggestion: string })
  | (Meta & {
      readonly kind: 'requestReplan';
      readonly reason: string;
      readonly agents?: readonly string[] | null | undefined;
    })
  | (Meta & { readonly kind: 'handOff'; readonly agent: string; readonly task: string })
  | (Meta & { readonly kind: 'blocked'; readonly reason: string })
  | (Meta & {
      readonly kind: 'askHuman';
      readonly question: string;
      readonly payload?: string | null | undefined;
    });

interface Meta {
  readonly partial?: string | null | undefined;
  readonly confidence?: number | null | undefined;
}

/* No bounds here: some servers refuse schemas with bounds, and the answer is checked anyway. */
const text = z.string();
const confidence = described(z.nullish(z.number()), 'How sure you are, 0 to 1');
const partial = described(z.nullish(z.string()), 'What you have found or done so far');

/** One object around the union, because strict servers require an object at the top. */
const wireOf = (output: z.core.$ZodType, targets: readonly string[]): z.ZodMiniObject => {
  const target = z.enum(targets);
  const agents = targets.length === 0 ? {} : { agents: z.nullish(z.array(target)) };
  const reports = [
    z.object({ kind: z.literal('done'), output, confidence }),
    z.object({ kind: z.literal('needsContext'), suggestion: text, partial, confidence }),
    z.object({ kind: z.literal('requestReplan'), reason: text, ...agents, partial, confidence }),
    z.object({ kind: z.literal('blocked'), reason: text }),
    z.object({ kind: z.literal('askHuman'), question: text, payload: z.nullish(z.string()) }),
  ] as const;
  const handingOff = z.object({
    kind: z.literal('handOff'),
    agent: target,
    task: text,
    partial,
    confidence,
  });
  return z.object({
    report: z.discriminatedUnion('kind', targets.length === 0 ? reports : [...reports, handingOff]),
  });
};

/** An agent's report. Without a schema for it, the output is a text. */
export const reportFormat = (
  output: z.core.$ZodType | undefined,
  targets: readonly string[],
  mode: 'schema' | 'json',
): AnswerFormat<ReportMaker> => {
  const schema = wireOf(output ?? z.string(), targets);
  const read = (answer: unknown): Reading<ReportMaker> => {
    const parsed = checkedByUser(schema, answer);
    if (!parsed.success) return { ok: false, issues: schemaIssues(parsed.error) };
    // Unparsed: the orchestrator applies the agent's schema, and it must not be applied twice.
    const written = (answer as { readonly report: { readonly output?: unknown } }).report.output;
    const { report } = parsed.data as { readonly report: Wire };
    const judged = checked(agentReportSchema, { ...reportOf(report, written, undefined) });
    if (!judged.success) return { ok: false, issues: schemaIssues(judged.error) };
    return { ok: true, value: (usage) => reportOf(report, written, usage) };
  };
  return jsonFormat({ name: 'report', schema, read }, mode);
};

const reportOf = (wire: Wire, written: unknown, usage: ReportMeta['usage']): AgentReport => {
  const meta = metaOf(wire, usage);
  switch (wire.kind) {
    case 'done':
      return done(written, meta);
    case 'needsContext':
      return needsContext(wire.suggestion, wire.partial, meta);
    case 'requestReplan':
      return requestReplan({ reason: wire.reason, agents: wire.agents ?? [] }, wire.partial, meta);
    case 'handOff':
      return handOff(wire, wire.partial, meta);
    case 'blocked':
      return blocked(wire.reason, meta);
    case 'askHuman':
      return askHuman({ question: wire.question, payload: wire.payload }, meta);
  }
};

const metaOf = ({ confidence: sure }: Meta, usage: ReportMeta['usage']): ReportMeta => ({
  ...(sure === null || sure === undefined ? {} : { confidence: sure }),
  ...(usage === undefined ? {} : { usage }),
});

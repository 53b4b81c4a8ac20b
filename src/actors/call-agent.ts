import { checked, checkedByUser } from '../model/check.js';
import type { Agent } from '../agents/agent.js';
import type { AgentReport } from '../agents/report.js';
import { agentReportSchema, isReport } from '../agents/report.js';
import { hasSecrets } from '../agents/secret.js';
import { fingerprint, stableStringify } from '../canonical-json.js';
import { toFailure } from '../failure.js';
import type { Answer, CallOutcome, WorkerRequest } from '../model/calls.js';
import { HandedCall } from './handed-call.js';
import { answered, bounded, failed, schemaCodes, schemaMessage, usageIn } from './outcome.js';
import type { Callable, CallSurroundings } from './team.types.js';

/** Calls one of the user's agents and checks its answer against the bounds. */
export const callAgent = async (
  team: Callable,
  request: WorkerRequest,
  key: string,
  isFallback: boolean,
  surroundings: CallSurroundings,
): Promise<CallOutcome> => {
  const agent = team.agents.get(request.agent);
  if (agent === undefined) {
    return failed('unknown-agent', `There is no agent '${request.agent.slice(0, 80)}'`);
  }
  const call = new HandedCall(request, key, agent.maxTokensPerCall ?? null, surroundings);
  const value = isFallback
    ? await (agent.fallback ?? noFallback)(call)
    : await team.dispatcher(agent, call);
  const outcome = isReport(value)
    ? reported(team, agent, value)
    : done(team, agent, value, null, value);
  return request.vote === null ? outcome : withDigest(outcome);
};

const noFallback = (): never => {
  throw new Error('The agent has no fallback');
};

const reported = (team: Callable, agent: Agent, report: AgentReport): CallOutcome => {
  const parsed = checked(agentReportSchema, { ...report });
  if (!parsed.success) {
    return failed('invalid-output', schemaMessage(parsed.error), usageIn(report));
  }
  const { data } = parsed;
  const confidence = data.confidence ?? null;
  switch (data.kind) {
    case 'done':
      return done(team, agent, data.output, confidence, report);
    case 'needsContext': {
      const answer: Answer = {
        role: 'worker',
        report: data.kind,
        suggestion: data.suggestion,
        confidence,
      };
      return partial(team, answer, data.output, report);
    }
    case 'handOff': {
      const answer: Answer = {
        role: 'worker',
        report: data.kind,
        agent: data.agent,
        task: data.task,
        confidence,
      };
      return partial(team, answer, data.output, report);
    }
    case 'requestReplan': {
      const { kind, reason, agents } = data;
      return partial(
        team,
        { role: 'worker', report: kind, reason, agents, confidence },
        data.output,
        report,
      );
    }
    case 'blocked':
      return answered(
        { role: 'worker', report: data.kind, reason: data.reason },
        null,
        usageIn(report),
      );
    case 'askHuman':
      return asked(team, data.question, data.payload, report);
  }
};

const done = (
  team: Callable,
  agent: Agent,
  output: unknown,
  confidence: number | null,
  report: unknown,
): CallOutcome => {
  const usage = isReport(report) ? usageIn(report) : null;
  const checked = checkedOutput(agent, output);
  if (!checked.ok) return failed('invalid-output', checked.reason, usage);
  // JSON has no undefined: an agent without a result has the output null, and is not called again for one.
  const result = bounded(checked.value ?? null, team.maxOutputBytes, usage);
  if (!result.ok) return result.failure;
  return answered({ role: 'worker', report: 'done', confidence }, result.value, usage);
};

type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string };

/**
 * Checks an output with the agent's schema. A schema's message may quote the rejected value, so it is not shown to
 * other agents.
 */
const checkedOutput = (agent: Agent, output: unknown): Checked => {
  if (agent.output === undefined) return { ok: true, value: output };
  const isConfidential = agent.redact !== undefined || hasSecrets(agent.output);
  try {
    const parsed = checkedByUser(agent.output, output);
    if (parsed.success) return { ok: true, value: parsed.data };
    const { error } = parsed;
    return { ok: false, reason: isConfidential ? schemaCodes(error) : schemaMessage(error) };
  } catch (thrown) {
    if (!isConfidential) throw thrown;
    return { ok: false, reason: `The schema threw ${toFailure(thrown).name}` };
  }
};

/** Charts compare votes but hold no outputs, so each answer gets a digest to compare. */
const withDigest = (outcome: CallOutcome): CallOutcome => {
  if (outcome.kind === 'failed') return outcome;
  const { answer, output } = outcome;
  if (answer.role !== 'worker' || answer.report !== 'done') return outcome;
  return { ...outcome, answer: { ...answer, digest: fingerprint(stableStringify(output)) } };
};

/** Partial work is kept unchecked: the schema describes finished work. */
const partial = (team: Callable, answer: Answer, output: unknown, report: unknown): CallOutcome => {
  const usage = usageIn(report);
  if (output === undefined) return answered(answer, null, usage);
  const result = bounded(output, team.maxOutputBytes, usage);
  return result.ok ? answered(answer, result.value, usage) : result.failure;
};

const asked = (
  team: Callable,
  question: string,
  payload: unknown,
  report: unknown,
): CallOutcome => {
  const usage = usageIn(report);
  const result = bounded(payload ?? null, team.maxOutputBytes, usage);
  if (!result.ok) return result.failure;
  return answered(
    { role: 'worker', report: 'askHuman', question, payload: result.value },
    null,
    usage,
  );
};

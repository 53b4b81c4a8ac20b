import type { AgentCall, Feedback } from '../../../agents/agent.js';
import type { JsonValue } from '../../../canonical-json.js';
import type { ContextPolicy } from '../../../model/policy.js';
import {
  conversationBlock,
  DATA_RULE,
  dataBlock,
  excerptOfTokens,
  paragraphs,
} from './data-block.js';
import { resultsBlock } from './supervisor.js';

const reports = (targets: readonly string[]): string => {
  const lines = [
    '- done: the task is done; output is your work, confidence how sure you are.',
    '- needsContext: you have done what you can, and more information is needed; say what, and what for. Only when you cannot continue without it.',
    '- requestReplan: the plan no longer fits, because the work is larger, smaller or different than it says.',
    ...(targets.length === 0
      ? []
      : [
          `- handOff: one of ${targets.join(', ')} should do something next; say exactly what. Your own part goes into partial.`,
        ]),
    '- blocked: the task cannot be done this way; say why, so that the next attempt can differ.',
    '- askHuman: a person has to decide, because the action cannot be undone or your instructions do not cover it; ask one clear question.',
  ];
  return `Your answer is a report of one of these kinds:\n${lines.join('\n')}`;
};

export const agentSystem = (
  agent: { readonly name: string; readonly instructions: string },
  targets: readonly string[],
): string =>
  paragraphs(
    `You are ${agent.name}, an agent in a team. You do one step of a plan and report.`,
    agent.instructions,
    reports(targets),
    'Do only your task, not the rest of the goal. Never claim what you have not done.',
    DATA_RULE,
  );

/** The prompt of an agent: its task and the relevant context, never the whole plan or other agents' conversations. */
export const agentQuestion = (call: AgentCall, context: ContextPolicy): string =>
  paragraphs(
    dataBlock('goal', call.goal),
    call.summary === '' ? null : dataBlock('analysis-of-the-planner', call.summary),
    dataBlock('task', call.task),
    conversationBlock(call.conversation, context),
    call.dependencies.length === 0 ? null : resultsBlock(call.dependencies, context),
    call.feedback.length === 0 ? null : feedbackBlock(call.feedback, context),
    closing(call),
  );

const feedbackBlock = (feedback: readonly Feedback[], { maxOutputTokens }: ContextPolicy): string =>
  `What was said about your last attempt, to be taken into account within your task:\n${dataBlock(
    'feedback',
    feedback.map(({ from, text, details }): JsonValue => {
      if (details === undefined) return { from, text };
      return { from, text, details: excerptOfTokens(details, maxOutputTokens) };
    }),
  )}`;

const closing = ({ step, mode }: AgentCall): string => {
  const place = `${step.position}, attempt ${step.attempt}.`;
  return mode === 'fix'
    ? `${place} The tests failed: apply the fix plan in the feedback, and nothing else.`
    : `${place} Do the task.`;
};

import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';

import { dataBlock } from './prompts/data-block.js';

/** A question, and what was said about it since, in groups that only make sense as a whole. */
export interface Conversation {
  readonly system: string;
  readonly question: string;
  readonly rounds: readonly (readonly ChatCompletionMessageParam[])[];
}

/** The messages to send: the question and as many of the latest rounds as fit. The last round is always among them. */
export const messagesOf = (
  { system, question, rounds }: Conversation,
  maxMessages: number,
): ChatCompletionMessageParam[] => {
  const kept = [];
  let count = 2;
  for (const round of rounds.toReversed()) {
    count += round.length;
    if (kept.length > 0 && count > maxMessages) break;
    kept.unshift(round);
  }
  const left = rounds.length - kept.length;
  // In the question itself: some chat templates refuse two messages of a user in a row.
  const note = left === 0 ? '' : `\n\n[${left} earlier rounds of tool use are left out here.]`;
  return [
    { role: 'system', content: system },
    { role: 'user', content: question + note },
    ...kept.flat(),
  ];
};

/** The model's own words come back to it no longer than this. */
const QUOTED_CHARACTERS = 8_000;
const ISSUE_CHARACTERS = 500;

/** Shows a model what was wrong with its answer. The words of the issues may be its own, so they are data. */
export const repairRound = (
  answer: string,
  issues: readonly { readonly path: string; readonly message: string }[],
): ChatCompletionMessageParam[] => {
  const told = issues.map(({ path, message }) => ({
    path: path.slice(0, ISSUE_CHARACTERS),
    message: message.slice(0, ISSUE_CHARACTERS),
  }));
  const quoted = answer.length > QUOTED_CHARACTERS ? '' : answer;
  return [
    { role: 'assistant', content: quoted === '' ? '(this answer is left out)' : quoted },
    {
      role: 'user',
      content: `Your answer cannot be used. What is wrong with it:\n${dataBlock('issues', told)}\nAnswer the question again, as a whole and in the form that was asked for. This is the last try.`,
    },
  ];
};

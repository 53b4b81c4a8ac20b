import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';

import { dataBlock } from './prompts/data-block.js';

/** A question and the rounds that followed, in groups that are kept or dropped as a whole. */
export interface Conversation {
  readonly system: string;
  readonly question: string;
  readonly rounds: readonly (readonly ChatCompletionMessageParam[])[];
}

/** The messages to send: the question and as many of the latest rounds as fit, always including the last one. */
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
  // Part of the question: some chat templates refuse two user messages in a row.
  const note = left === 0 ? '' : `\n\n[${left} earlier rounds of tool use are left out here.]`;
  return [
    { role: 'system', content: system },
    { role: 'user', content: question + note },
    ...kept.flat(),
  ];
};

/** The model's own answer is quoted to it up to this length. */
const QUOTED_CHARACTERS = 8_000;
const ISSUE_CHARACTERS = 500;

/** Shows a model the issues of its answer. The issues may quote the answer, so they are marked as data. */
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

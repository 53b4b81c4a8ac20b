import type { Issue } from '../../errors.js';
import type { AnswerFormat } from './answer-format.js';
import type { Completion } from './completion.js';
import type { OpenAiAnswerCode } from './errors.js';
import { parseJson } from './parse-json.js';
import type { Secrets } from './secrets.js';

/** The answer in a completion, or its issues. */
export type Judgement<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly code: OpenAiAnswerCode; readonly issues: readonly Issue[] };

export const judge = <Value>(
  completion: Completion,
  format: AnswerFormat<Value>,
  maxCharacters: number,
  secrets: Secrets,
): Judgement<Value> => {
  const { content, refusal, isTruncated } = completion;
  if (refusal !== null) return problem('refused', refusal);
  if (lengthOf(completion) > maxCharacters) {
    return problem('too-long', `Expected at most ${maxCharacters} characters`);
  }
  if (isTruncated) {
    return problem('truncated', 'The answer was cut off at the token limit: use fewer words');
  }
  if (content.trim() === '') return problem('no-answer', 'Expected an answer, got an empty text');
  return format.isJson
    ? judgeJson(content, format, secrets)
    : accept(format, secrets.inAnswer(content));
};

/** The number of characters in the model's message and tool calls. */
export const lengthOf = ({ content, toolCalls }: Completion): number =>
  toolCalls.reduce((sum, call) => sum + call.arguments.length, content.length);

const judgeJson = <Value>(
  content: string,
  format: AnswerFormat<Value>,
  secrets: Secrets,
): Judgement<Value> => {
  const parsed = parseJson(unwrapped(content));
  return parsed.ok
    ? accept(format, secrets.inAnswer(parsed.value))
    : problem('invalid-json', parsed.message);
};

const accept = <Value>(format: AnswerFormat<Value>, answer: unknown): Judgement<Value> => {
  const reading = format.read(answer);
  return reading.ok ? reading : { ok: false, code: 'wrong-shape', issues: reading.issues };
};

/** Small models think aloud and add code fences, whatever the prompt says. */
const unwrapped = (content: string): string => withoutFence(withoutThoughts(content.trim()));

const THOUGHTS = { start: '<think>', end: '</think>' } as const;

const withoutThoughts = (said: string): string => {
  if (!said.startsWith(THOUGHTS.start)) return said;
  const end = said.indexOf(THOUGHTS.end);
  return end < 0 ? said : said.slice(end + THOUGHTS.end.length).trim();
};

const FENCE = '```';

/** By hand: a pattern for this takes quadratic time on line feeds, and the model controls their number. */
const withoutFence = (said: string): string => {
  const end = said.length - FENCE.length - 1;
  const firstLineEnd = said.indexOf('\n');
  if (!said.startsWith(FENCE) || !said.endsWith(`\n${FENCE}`) || firstLineEnd >= end) return said;
  const language = said.slice(FENCE.length, firstLineEnd).trim();
  return language === '' || language === 'json' ? said.slice(firstLineEnd + 1, end) : said;
};

const problem = <Value>(code: OpenAiAnswerCode, message: string): Judgement<Value> => ({
  ok: false,
  code,
  issues: [{ code, path: '', message }],
});

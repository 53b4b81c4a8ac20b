import { OpenAI } from 'openai';
import { onTestFinished } from 'vitest';

import type {
  ScriptedAnswer,
  ScriptedRequest,
  ScriptedServer,
} from '../../examples/supervised-run/scripted-server.js';
import { startScriptedServer } from '../../examples/supervised-run/scripted-server.js';
import { inTurn } from '../scenarios/scripted.js';

export interface TestServer extends ScriptedServer {
  readonly client: OpenAI;
}

export type Answers = ScriptedAnswer | ((request: ScriptedRequest) => ScriptedAnswer);

/** A real server for one test. It gives one answer after the other and repeats the last one. */
export const serverSaying = async (...answers: readonly Answers[]): Promise<TestServer> => {
  const next = inTurn(...answers);
  const server = await startScriptedServer((request) => next(request) as ScriptedAnswer);
  onTestFinished(() => server.close());
  return { ...server, client: new OpenAI({ baseURL: server.baseURL, apiKey: API_KEY }) };
};

export const API_KEY = 'sk-test-0123456789abcdef';

/** Everything the model was shown by one request, as one text. */
export const promptOf = ({ messages }: ScriptedRequest): string =>
  messages.map(({ content }) => content ?? '').join('\n');

/** The values of the data blocks of one name. */
export const blocksIn = (prompt: string, name: string): unknown[] =>
  [...prompt.matchAll(new RegExp(`<data name="${name}">\n(?<json>.*)\n</data>`, 'g'))].map(
    ({ groups }): unknown => JSON.parse(groups?.['json'] ?? ''),
  );

/** A prompt without its data blocks: what a model may take as instructions. */
export const withoutData = (prompt: string): string =>
  prompt.replaceAll(/<data name="[\w-]+">\n.*\n<\/data>/g, '[data]');

import type {
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';

import type { Usage } from '../../model/usage.js';
import type { Issue } from '../../errors.js';
import type { AnswerFormat } from './answer-format.js';
import type { Completion } from './completion.js';
import type { Connection } from './connection.js';
import { connectionOf } from './connection.js';
import { messagesOf, repairRound } from './conversation.js';
import type { OpenAiAnswerCode } from './errors.js';
import { OpenAiAnswerError } from './errors.js';
import { issueLines } from './issues.js';
import type { AskingSettings, ModelOptions } from './options.js';
import { settingsOf } from './options.js';
import { paragraphs } from './prompts/data-block.js';
import { judge, lengthOf } from './read-answer.js';
import type { ToolCall } from './tool.js';
import { toolDefinitions, useTools } from './tool-use.js';
import { NO_TOKENS, sumOf, usageOf } from './usage.js';

/** One question to a model. */
export interface Question<Value> {
  readonly system: string;
  readonly question: string;
  readonly format: AnswerFormat<Value>;
  readonly call: ToolCall;
}

export interface Answered<Value> {
  readonly value: Value;
  /** Tokens of all rounds, including tools and repair. */
  readonly usage: Usage;
}

/** A model to ask. */
export interface Model {
  readonly settings: AskingSettings;
  readonly ask: <Value>(question: Question<Value>) => Promise<Answered<Value>>;
}

export const modelOf = (options: ModelOptions): Model => {
  const settings = settingsOf(options);
  const connection = connectionOf(options);
  return { settings, ask: (question) => new Asking(settings, connection, question).answer() };
};

/**
 * One question until it is answered: at most `maxToolRounds` rounds of tools, then an answer without them, then one
 * repair. That is at most `maxToolRounds + 2` requests.
 */
class Asking<Value> {
  readonly #settings: AskingSettings;
  readonly #connection: Connection;
  readonly #question: Question<Value>;
  readonly #rounds: ChatCompletionMessageParam[][] = [];
  #tokens = NO_TOKENS;
  #toolRounds = 0;
  #isRepairing = false;

  constructor(settings: AskingSettings, connection: Connection, question: Question<Value>) {
    this.#settings = settings;
    this.#connection = connection;
    this.#question = question;
  }

  async answer(): Promise<Answered<Value>> {
    for (;;) {
      const mayUseTools = this.#mayUseTools();
      const completion = await this.#complete(mayUseTools);
      if (this.#asksForTools(completion)) {
        if (!mayUseTools) throw this.#tooManyRounds();
        this.#rounds.push(await this.#useTools(completion));
        this.#toolRounds += 1;
        continue;
      }
      const { format } = this.#question;
      const { maxAnswerCharacters } = this.#settings;
      const judgement = judge(completion, format, maxAnswerCharacters, this.#connection.secrets);
      if (judgement.ok) return { value: judgement.value, usage: this.#usage() };
      this.#repair(completion, judgement.code, judgement.issues);
    }
  }

  #useTools(completion: Completion): Promise<ChatCompletionMessageParam[]> {
    const { call } = this.#question;
    return useTools(completion, this.#settings, call, this.#connection.secrets);
  }

  #mayUseTools(): boolean {
    const { tools, maxToolRounds } = this.#settings;
    return tools.length > 0 && this.#toolRounds < maxToolRounds && !this.#isRepairing;
  }

  /** Tool calls count only when tools are available and the message is not too long; otherwise there is no answer. */
  #asksForTools(completion: Completion): boolean {
    const { tools, maxAnswerCharacters } = this.#settings;
    const isAsking = tools.length > 0 && completion.toolCalls.length > 0;
    return isAsking && completion.refusal === null && lengthOf(completion) <= maxAnswerCharacters;
  }

  async #complete(mayUseTools: boolean): Promise<Completion> {
    const completion = await this.#connection.complete({
      parameters: this.#parameters(mayUseTools),
      call: this.#question.call,
      maxBodyBytes: bodyBytes(this.#settings.maxAnswerCharacters),
    });
    this.#tokens = sumOf(this.#tokens, completion.tokens);
    return completion;
  }

  #parameters(mayUseTools: boolean): ChatCompletionCreateParamsNonStreaming {
    const { model, context, extraParameters, temperature } = this.#settings;
    const { format, question } = this.#question;
    const system = paragraphs(this.#question.system, format.instruction);
    const conversation = { system, question, rounds: this.#rounds };
    return {
      ...extraParameters,
      ...(temperature === undefined ? {} : { temperature }),
      ...this.#lengthParameters(),
      ...this.#toolParameters(mayUseTools),
      ...this.#formatParameters(mayUseTools),
      model,
      messages: messagesOf(conversation, context.maxMessages),
      stream: false,
    };
  }

  /** The smaller of what the options allow and what the agent declares for a call. */
  #maxOutputTokens(): number | undefined {
    const declared = this.#question.call.maxTokens ?? null;
    const { maxOutputTokens } = this.#settings;
    if (declared === null) return maxOutputTokens;
    return Math.min(declared, maxOutputTokens ?? declared);
  }

  /** Compatible servers know the old name; OpenAI's reasoning models know only the new one. */
  #lengthParameters(): Readonly<Record<string, number>> {
    const { structuredOutputs } = this.#settings;
    const maxOutputTokens = this.#maxOutputTokens();
    if (maxOutputTokens === undefined) return {};
    return structuredOutputs === 'schema'
      ? { max_completion_tokens: maxOutputTokens }
      : { max_tokens: maxOutputTokens };
  }

  #toolParameters(mayUseTools: boolean): Partial<ChatCompletionCreateParamsNonStreaming> {
    const { tools, structuredOutputs } = this.#settings;
    if (tools.length === 0) return {};
    if (mayUseTools) return { tools: toolDefinitions(tools) };
    // Some compatible servers do not support tool_choice: there the tools are left out.
    return structuredOutputs === 'schema'
      ? { tools: toolDefinitions(tools), tool_choice: 'none' }
      : {};
  }

  /** On local servers a JSON format disables tools: the format is sent only once tools are no longer allowed. */
  #formatParameters(mayUseTools: boolean): Partial<ChatCompletionCreateParamsNonStreaming> {
    const { responseFormat } = this.#question.format;
    if (responseFormat === null) return {};
    if (mayUseTools && this.#settings.structuredOutputs === 'json') return {};
    return { response_format: responseFormat };
  }

  /** Records the issues for one repair; throws when there was one already, or a repair cannot help. */
  #repair(completion: Completion, code: OpenAiAnswerCode, issues: readonly Issue[]): void {
    if (this.#isRepairing || code === 'refused') throw this.#failure(code, issues);
    this.#isRepairing = true;
    const said = code === 'too-long' ? '' : completion.content;
    this.#rounds.push(repairRound(said, issues));
  }

  /** The only place that makes an error from an unusable answer: its issues quote the answer. */
  #failure(code: OpenAiAnswerCode, found: readonly Issue[]): OpenAiAnswerError {
    const { secrets } = this.#connection;
    const issues = found.map(({ path, message: told, ...issue }) => ({
      ...issue,
      path: secrets.inMessage(path),
      message: secrets.inMessage(told),
    }));
    const times = this.#isRepairing ? ', also after one repair' : '';
    const message = `${MEANINGS[code]}${times}:\n${issueLines(issues)}`;
    return new OpenAiAnswerError(code, { message, issues, usage: this.#usage() });
  }

  #tooManyRounds(): OpenAiAnswerError {
    const message = `Expected an answer after at most ${this.#settings.maxToolRounds} rounds of tools (maxToolRounds), got another tool call`;
    return this.#failure('tool-rounds-exceeded', [
      { code: 'tool-rounds-exceeded', path: '', message },
    ]);
  }

  #usage(): Usage {
    return usageOf(this.#tokens, this.#settings.pricing);
  }
}

const MEANINGS: Readonly<Record<OpenAiAnswerCode, string>> = {
  refused: 'The model refuses to answer',
  truncated: 'The answer is cut off at the token limit (see maxOutputTokens)',
  'invalid-json': 'The answer is not JSON',
  'wrong-shape': 'The answer does not have the shape that was asked for',
  'too-long': 'The answer is too long (see maxAnswerCharacters)',
  'no-answer': 'The model returned an empty answer',
  'tool-rounds-exceeded': 'The model keeps calling tools instead of answering',
};

/** A character takes up to six bytes in JSON, and servers send more than the answer: reasoning, log probabilities. */
const bodyBytes = (maxCharacters: number): number => 6 * maxCharacters + 1_048_576;

import type { Usage } from '../../model/usage.js';
import type { Issue } from '../../errors.js';
import { PlanwrightError } from '../../errors.js';

/** What can be wrong with what a model said. */
export type OpenAiAnswerCode =
  | 'refused'
  | 'truncated'
  | 'invalid-json'
  | 'wrong-shape'
  | 'too-long'
  | 'no-answer'
  | 'tool-rounds-exceeded';

/** What can go wrong before a model has said anything. */
export type OpenAiRequestCode =
  | 'aborted'
  | 'connection-failed'
  | 'cut-off'
  | 'rate-limited'
  | 'unauthorized'
  | 'request-rejected'
  | 'server-error'
  | 'not-a-completion'
  | 'body-too-large';

interface AnswerErrorParts {
  readonly message: string;
  readonly issues?: readonly Issue[];
  readonly usage: Usage;
}

/** A model answered, and its answer cannot be used. For the orchestrator this is a failed attempt. */
export class OpenAiAnswerError extends PlanwrightError {
  override readonly name = 'OpenAiAnswerError';
  declare readonly code: OpenAiAnswerCode;
  /** What was wrong with the last answer, as the model was told. */
  readonly issues: readonly Issue[];
  /** What the call has cost all the same. */
  readonly usage: Usage;

  constructor(code: OpenAiAnswerCode, { message, issues = [], usage }: AnswerErrorParts) {
    super(code, message);
    this.issues = [...issues];
    this.usage = usage;
  }

  static override isInstance(value: unknown): value is OpenAiAnswerError {
    return PlanwrightError.isInstance(value) && value.name === 'OpenAiAnswerError';
  }
}

interface RequestErrorParts extends ErrorOptions {
  readonly message: string;
  readonly status?: number;
}

/** The server could not be asked, or gave no answer. For the orchestrator this is a failed attempt. */
export class OpenAiRequestError extends PlanwrightError {
  override readonly name = 'OpenAiRequestError';
  declare readonly code: OpenAiRequestCode;
  /** The HTTP status; null when there was no response. */
  readonly status: number | null;

  constructor(code: OpenAiRequestCode, { message, status, ...options }: RequestErrorParts) {
    super(code, message, options);
    this.status = status ?? null;
  }

  static override isInstance(value: unknown): value is OpenAiRequestError {
    return PlanwrightError.isInstance(value) && value.name === 'OpenAiRequestError';
  }
}

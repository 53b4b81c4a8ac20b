import type { Usage } from '../../model/usage.js';
import type { Issue } from '../../errors.js';
import { PlanwrightError } from '../../errors.js';

/** Why a model's answer cannot be used. */
export type OpenAiAnswerCode =
  | 'refused'
  | 'truncated'
  | 'invalid-json'
  | 'wrong-shape'
  | 'too-long'
  | 'no-answer'
  | 'tool-rounds-exceeded';

/** Why a request to a model failed. */
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

/** The model's answer cannot be used. For the orchestrator this is a failed try. */
export class OpenAiAnswerError extends PlanwrightError {
  override readonly name = 'OpenAiAnswerError';
  declare readonly code: OpenAiAnswerCode;
  /** The issues of the last answer, as the model was told. */
  readonly issues: readonly Issue[];
  /** The usage of the failed call. */
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

/** The server could not be reached, or gave no answer. For the orchestrator this is a failed try. */
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

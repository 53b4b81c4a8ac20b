import type { AgentCall } from '../agents/agent.js';
import type { WorkerRequest } from '../model/calls.js';
import { deepFrozen } from '../deep-frozen.js';
import { dependenciesOf, feedbackOf } from './references.js';
import type { CallSurroundings } from './team.types.js';

/**
 * The call object an agent receives. Its signal is created on first access, because most agents never read it and it is
 * the most expensive part of a call. One accessor serves all calls: a getter in an object literal would be created for
 * each call.
 */
export class HandedCall implements AgentCall {
  readonly runId: string;
  readonly labels: AgentCall['labels'];
  readonly input: AgentCall['input'];
  readonly goal: string;
  readonly task: string;
  readonly step: AgentCall['step'];
  readonly mode: AgentCall['mode'];
  readonly dependencies: AgentCall['dependencies'];
  readonly feedback: AgentCall['feedback'];
  readonly conversation: AgentCall['conversation'];
  readonly summary: string;
  readonly maxTokens: number | null;
  readonly key: string;
  declare readonly signal: AbortSignal;
  readonly #surroundings: CallSurroundings;

  constructor(
    request: WorkerRequest,
    key: string,
    maxTokens: number | null,
    surroundings: CallSurroundings,
  ) {
    const { id, position, attempt } = request.step;
    const { runId, labels, input } = surroundings.run;
    this.runId = runId;
    this.labels = labels;
    this.input = input;
    this.goal = request.goal;
    this.task = request.step.task;
    const vote = request.vote === null ? null : Object.freeze({ ...request.vote });
    this.step = Object.freeze({ id, position, attempt, depth: request.depth, vote });
    this.mode = request.mode;
    this.dependencies = dependenciesOf(request.dependencies, surroundings.outputs);
    this.feedback = feedbackOf(request.feedback, surroundings.outputs);
    this.conversation = deepFrozen(request.conversation);
    this.summary = request.summary;
    this.maxTokens = maxTokens;
    this.key = key;
    this.#surroundings = surroundings;
    // The call's own property, so that `{ ...call }` has a signal too.
    Object.defineProperty(this, 'signal', HandedCall.#signal);
    Object.freeze(this);
  }

  static readonly #signal: PropertyDescriptor & ThisType<HandedCall> = {
    enumerable: true,
    get() {
      return this.#surroundings.signal;
    },
  };
}

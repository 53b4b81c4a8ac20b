import type { AgentCall } from '../../src/agents/agent.js';
import type { TestAgent } from './team.js';
import { agentNamed } from './team.js';

/** An agent that gives one answer after the other and repeats the last one. A function is called for its answer. */
export const scriptedAgent = (name: string, ...answers: readonly unknown[]): TestAgent => {
  const next = inTurn(...answers);
  return agentNamed(name, (call) => next(call));
};

/** One answer per call; the last one is repeated. An Error is thrown, a function is called. */
export const inTurn = (...answers: readonly unknown[]): ((request: unknown) => unknown) => {
  let calls = 0;
  return (request) => {
    const answer = answers[Math.min(calls, answers.length - 1)];
    calls += 1;
    if (answer instanceof Error) throw answer;
    return typeof answer === 'function'
      ? (answer as (request: unknown) => unknown)(request)
      : answer;
  };
};

/** What an agent was told when it was called again. */
export const feedbackTexts = (call: AgentCall): string[] =>
  call.feedback.map(({ from, text }) => `${from}: ${text}`);

export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (reason: unknown) => void;
}

/** A promise that a test settles itself. */
export const deferred = <Value = unknown>(): Deferred<Value> => {
  let resolve: (value: Value) => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<Value>((accept, refuse) => {
    resolve = accept;
    reject = refuse;
  });
  return { promise, resolve, reject };
};

import type { AgentCall } from '../../agents/agent.js';
import type { Fact } from '../../model/facts.js';
import type { Handlers } from '../../testing/invariants/evidence.js';
import { Findings, follow } from '../../testing/invariants/evidence.js';

interface SeenCall {
  readonly life: number;
  /** How many claims that process had made. */
  readonly claim: number;
  readonly signal: AbortSignal;
  isSettled: boolean;
}

/** The observed calls of a run, as the agents saw them, and the stored state at that time. */
export class Ledger {
  /** Outputs by the key of the call, as text. */
  readonly outputs = new Map<string, string>();
  /** Calls whose intent was stored before they were made. */
  readonly intended = new Set<string>();
  readonly answered = new Set<string>();
  readonly calls = new Map<string, SeenCall[]>();
  readonly #dependsOn = new Map<string, readonly string[]>();
  readonly #outputKeys = new Map<string, readonly string[]>();
  readonly openQuestions = new Set<string>();
  /** When each question was asked, by the clock of the process that asked. */
  readonly askedAtMs = new Map<string, number>();
  readonly openSteps = new Set<string>();
  isPaused = false;
  factCount = 0;
  readonly #handlers: Handlers = this.#handlersOfFacts();

  take(facts: readonly Fact[]): void {
    follow(facts, new Findings(), this.#handlers);
    this.factCount += facts.length;
  }

  /** Every output that a call depends on and did not receive, or received changed. */
  missing({ step, dependencies }: AgentCall): readonly string[] {
    const handed = new Map(dependencies.map(({ stepId, output }) => [stepId, output]));
    return (this.#dependsOn.get(step.id) ?? []).filter((stepId) => {
      const keys = this.#outputKeys.get(stepId) ?? [];
      const [key] = keys;
      const expected = key === undefined || keys.length > 1 ? undefined : this.outputs.get(key);
      return expected !== undefined && JSON.stringify(handed.get(stepId)) !== expected;
    });
  }

  seen(key: string, call: SeenCall): readonly SeenCall[] {
    const before = this.calls.get(key) ?? [];
    this.calls.set(key, [...before, call]);
    return before;
  }

  #handlersOfFacts(): Handlers {
    const settle = ({ stepId }: { readonly stepId: string }): boolean =>
      this.openSteps.delete(stepId);
    const close = ({ requestId }: { readonly requestId: string }): boolean =>
      this.openQuestions.delete(requestId);
    return {
      'agent.called': ({ key }) => this.intended.add(key),
      'agent.answered': ({ key, output }) => {
        this.answered.add(key);
        this.outputs.set(key, JSON.stringify(output));
      },
      'plan.adopted': ({ steps }) => {
        for (const { id, dependsOn } of steps) {
          this.#dependsOn.set(id, dependsOn);
          this.openSteps.add(id);
        }
      },
      'step.completed': (fact) => {
        this.#outputKeys.set(fact.stepId, fact.outputKeys);
        settle(fact);
      },
      'step.failed': settle,
      'step.skipped': settle,
      'step.cancelled': settle,
      'approval.requested': ({ requestId, at }) => {
        this.openQuestions.add(requestId);
        this.askedAtMs.set(requestId, at);
      },
      'approval.granted': close,
      'approval.rejected': close,
      'approval.expired': close,
      'run.paused': () => {
        this.isPaused = true;
      },
      'run.unpaused': () => {
        this.isPaused = false;
      },
    };
  }
}

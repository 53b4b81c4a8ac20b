import type { Fact } from '../model/facts.js';
import type { AgentMetrics, RunUsage } from './record.js';
import { NO_USAGE, sumOfUsage } from './record-usage.js';

type AgentCounts = { -readonly [Name in keyof AgentMetrics]: AgentMetrics[Name] };

/** Requests that an agent made itself, as opposed to those caused by its result. */
const REQUESTS_OF_AGENTS = new Set(['needsContext', 'requestReplan', 'handOff']);

/** Counts calls, their usage, and the results of agents' requests. */
export class CallLedger {
  readonly #countsByAgent = new Map<string, AgentCounts>();
  /** Requests of agents that no planner call has included yet: a step asks at most once. */
  readonly #waitingAgentByStep = new Map<string, string>();
  /** Requests of agents that a planner call has included. */
  readonly #heardAgentByStep = new Map<string, string>();
  /** The agents whose requests the plan in the making answers. */
  #askers = new Set<string>();
  readonly #calledByKey = new Map<
    string,
    Pick<Fact<'agent.called'>, 'at' | 'stepId' | 'isFallback'>
  >();
  #usage: RunUsage = NO_USAGE;

  get usage(): RunUsage {
    return this.#usage;
  }

  get isAnyInFlight(): boolean {
    return this.#calledByKey.size > 0;
  }

  isFallback(key: string): boolean {
    return this.#calledByKey.get(key)?.isFallback === true;
  }

  /** Calls for a step, or for the plan or the goal, that were stopped without an answer. */
  stop(stepId: string | null): void {
    for (const [key, call] of this.#calledByKey) {
      if (call.stepId === stepId) this.#calledByKey.delete(key);
    }
  }

  /** By the name of the agent, in order of first appearance. */
  agents(): Record<string, AgentMetrics> {
    return Object.fromEntries(
      [...this.#countsByAgent].map(([agent, counts]) => [agent, { ...counts }]),
    );
  }

  called({ agent, key, stepId, isFallback, at }: Fact<'agent.called'>): void {
    this.#countsOf(agent).calls += 1;
    this.#calledByKey.set(key, { at, stepId, isFallback });
  }

  answered({ agent, key, usage, at }: Fact<'agent.answered'>): void {
    this.#countsOf(agent).answers += 1;
    this.#settle(agent, key, at);
    if (usage !== null) this.#usage = sumOfUsage(this.#usage, usage);
  }

  failed({ agent, key, usage, at }: Fact<'agent.failed'>): void {
    this.#countsOf(agent).errors += 1;
    this.#settle(agent, key, at);
    if (usage !== undefined) this.#usage = sumOfUsage(this.#usage, usage);
  }

  replanRequested({ agent, kind, stepId }: Fact<'replan.requested'>): void {
    if (agent === null || !REQUESTS_OF_AGENTS.has(kind)) return;
    this.#countsOf(agent).replanRequests += 1;
    if (stepId !== null) this.#waitingAgentByStep.set(stepId, agent);
  }

  /** A request counts as granted once, however often the planner is called for a valid plan. */
  replanStarted({ stepIds }: Fact<'replan.started'>): void {
    for (const stepId of stepIds) this.#grant(stepId);
    this.#askers = new Set(stepIds.flatMap((stepId) => this.#heardAgentByStep.get(stepId) ?? []));
  }

  planAdopted({ parentStepId, steps }: Fact<'plan.adopted'>): void {
    // Only the goal's own plan is ever replanned.
    if (parentStepId !== null) return;
    for (const agent of this.#askers) this.#countsOf(agent).stepsAdded += steps.length;
    this.#askers = new Set();
  }

  #grant(stepId: string): void {
    const agent = this.#waitingAgentByStep.get(stepId);
    if (agent === undefined) return;
    this.#waitingAgentByStep.delete(stepId);
    this.#heardAgentByStep.set(stepId, agent);
    this.#countsOf(agent).replansGranted += 1;
  }

  #settle(agent: string, key: string, at: number): void {
    const called = this.#calledByKey.get(key);
    if (called === undefined) return;
    this.#calledByKey.delete(key);
    this.#countsOf(agent).totalLatencyMs += Math.max(0, at - called.at);
  }

  #countsOf(agent: string): AgentCounts {
    const known = this.#countsByAgent.get(agent);
    if (known !== undefined) return known;
    const counts = {
      calls: 0,
      errors: 0,
      answers: 0,
      replanRequests: 0,
      replansGranted: 0,
      stepsAdded: 0,
      totalLatencyMs: 0,
    };
    this.#countsByAgent.set(agent, counts);
    return counts;
  }
}

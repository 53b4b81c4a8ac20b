import type { Planner, Summarizer, Supervisor, Tester } from '../../agents/roles.js';
import type { Agent, AgentCall } from '../../agents/agent.js';
import type { OrchestratorOptions } from '../../orchestrator/create-orchestrator.js';
import type { Act } from './acts.js';
import { planFor, workDone } from './acts.js';

/** A call of an agent under test: the agent really works, and its answer is kept until the path lets it through. */
export interface OwnCall {
  readonly agent: string;
  readonly key: string;
  readonly signal: AbortSignal;
  /** Resolves when the agent's promise has settled, whichever way. */
  readonly settled: Promise<void>;
  isSettled: boolean;
  /** True when the path did not wait for the answer. */
  isWithheld: boolean;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** What is answered when the path says nothing. */
  readonly asPlanned: () => unknown;
  readonly own: (OwnCall & { readonly answer: Promise<unknown> }) | undefined;
}

/** As much of a call as everybody is told. */
interface Called {
  readonly key: string;
  readonly signal: AbortSignal;
}

/**
 * Where every call of a run comes in and waits until it is told what to do. Everybody but the agents under test only does
 * what the path says.
 */
export class PendingCalls {
  readonly #waiting = new Map<string, Waiting>();
  /** Calls that were given up. */
  readonly #given = new Map<string, Waiting>();
  readonly ownCalls: OwnCall[] = [];
  readonly #unreachable: ReadonlySet<string>;

  /** Calls with these keys fail on their way: an agent under test does not hear of them. */
  constructor(unreachable: Iterable<string> = []) {
    this.#unreachable = new Set(unreachable);
  }

  has(key: string): boolean {
    return this.#waiting.has(key);
  }

  /** Forgets everybody, for another run. */
  clear(): void {
    this.#waiting.clear();
    this.#given.clear();
    this.ownCalls.length = 0;
  }

  /** The call that waits longest. */
  get first(): string | undefined {
    return this.#waiting.keys().next().value;
  }

  /** The agent under test that was called with this key. */
  ownCall(key: string): OwnCall | undefined {
    return this.#waiting.get(key)?.own;
  }

  perform({ key, does }: Pick<Act, 'key' | 'does'>): void {
    const waiting = this.#take(key);
    if ('throws' in does) waiting?.reject(new Error(does.throws));
    else waiting?.resolve(does.returns);
  }

  performAsPlanned(key: string): void {
    const waiting = this.#take(key);
    waiting?.resolve(waiting.own === undefined ? waiting.asPlanned() : waiting.own.answer);
  }

  /** It is not waited for any longer: time will pass instead. */
  giveUp(key: string): void {
    const waiting = this.#take(key);
    if (waiting?.own !== undefined) waiting.own.isWithheld = true;
  }

  #take(key: string): Waiting | undefined {
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    return waiting;
  }

  /** An answer to a call that nobody waits for any more. */
  performLate(key: string): void {
    this.#given.get(key)?.resolve(undefined);
  }

  wait({ key, signal }: Called, asPlanned: () => unknown, own?: Waiting['own']): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const waiting = { resolve, reject, asPlanned, own };
      this.#waiting.set(key, waiting);
      signal.addEventListener('abort', () => {
        if (this.#take(key) === undefined) return;
        this.#given.set(key, waiting);
        if (own !== undefined) own.isWithheld = true;
      });
    });
  }

  /** Lets an agent under test begin, and keeps its answer. */
  watch(agent: string, call: AgentCall, work: () => unknown): Promise<unknown> {
    const { key, signal } = call;
    if (this.#unreachable.has(key)) return this.wait(call, () => undefined);
    const answer = (async () => work())();
    const settle = (): void => {
      own.isSettled = true;
    };
    const settled = answer.then(settle, settle);
    const own = { agent, key, signal, answer, settled, isSettled: false, isWithheld: false };
    this.ownCalls.push(own);
    return this.wait(call, () => undefined, own);
  }
}

type Options = OrchestratorOptions<readonly Agent[]>;

/** The team of an orchestrator with everybody at the desk. */
export const scriptedTeam = (
  pending: PendingCalls,
  options: Options,
  underTest: ReadonlyMap<string, Agent>,
  maxSteps: number,
): Pick<Options, 'agents' | 'planner' | 'supervisor' | 'tester' | 'summarizer'> => {
  const names = options.agents.map(({ name }) => name);
  const planner = (request: Parameters<Planner>[0]): Promise<unknown> =>
    pending.wait(request, () => planFor({ agents: names, maxSteps }, request));
  const judge = (verdict: unknown) => (request: Called) => pending.wait(request, () => verdict);
  return {
    agents: options.agents.map((agent) => {
      const tested = underTest.get(agent.name);
      return tested === undefined
        ? scriptedAgent(pending, agent)
        : watchedAgent(pending, tested, options.dispatcher);
    }),
    ...(options.planner && { planner: planner as Planner }),
    ...(options.supervisor && { supervisor: judge(PRAISE) as Supervisor }),
    ...(options.tester && { tester: judge(PASSED) as Tester }),
    ...(options.summarizer && { summarizer: judge('Summed up') as Summarizer }),
  };
};

const PRAISE = { score: 100, issues: [], feedback: '' };
const PASSED = { passed: true, failures: [] };

/** Without a schema: what it answers is the path's business. */
const scriptedAgent = (pending: PendingCalls, { name, description, fallback }: Agent): Agent => {
  const run = (call: AgentCall): unknown => pending.wait(call, () => workDone(call.task));
  return { name, description, run, ...(fallback && { fallback: run }) };
};

const watchedAgent = (
  pending: PendingCalls,
  agent: Agent,
  dispatcher: Options['dispatcher'],
): Agent => {
  const { name, fallback } = agent;
  return {
    ...agent,
    run: (call) =>
      pending.watch(name, call, () =>
        dispatcher === undefined ? agent.run(call) : dispatcher(agent, call),
      ),
    ...(fallback && { fallback: (call) => pending.watch(name, call, () => fallback(call)) }),
  };
};

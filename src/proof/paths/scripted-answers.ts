import type { Planner, Summarizer, Supervisor, Tester } from '../../agents/roles.js';
import type { Agent, AgentCall } from '../../agents/agent.js';
import type { OrchestratorOptions } from '../../orchestrator/create-orchestrator.js';
import type { Act } from './acts.js';
import { planFor, workDone } from './acts.js';

/** A call of an agent under test: the agent really works, and its answer is held back until the path delivers it. */
export interface OwnCall {
  readonly agent: string;
  readonly key: string;
  readonly signal: AbortSignal;
  /** Resolves when the agent's promise has settled. */
  readonly settled: Promise<void>;
  isSettled: boolean;
  /** True when the path did not wait for the answer. */
  isWithheld: boolean;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** The planned answer, when the path has no other. */
  readonly asPlanned: () => unknown;
  readonly own: (OwnCall & { readonly answer: Promise<unknown> }) | undefined;
}

/** The part of a call that every callee receives. */
interface Called {
  readonly key: string;
  readonly signal: AbortSignal;
}

/** Holds every call of a run until the path answers it. Only agents under test do their own work. */
export class PendingCalls {
  readonly #waiting = new Map<string, Waiting>();
  /** Calls that were given up. */
  readonly #given = new Map<string, Waiting>();
  readonly ownCalls: OwnCall[] = [];
  readonly #unreachable: ReadonlySet<string>;

  /** Calls with these keys fail before they reach an agent under test. */
  constructor(unreachable: Iterable<string> = []) {
    this.#unreachable = new Set(unreachable);
  }

  has(key: string): boolean {
    return this.#waiting.has(key);
  }

  /** Removes all calls, for another run. */
  clear(): void {
    this.#waiting.clear();
    this.#given.clear();
    this.ownCalls.length = 0;
  }

  /** The call that has waited longest. */
  get first(): string | undefined {
    return this.#waiting.keys().next().value;
  }

  /** The call of an agent under test with this key. */
  ownCall(key: string): OwnCall | undefined {
    return this.#waiting.get(key)?.own;
  }

  perform({ key, does }: Pick<Act, 'key' | 'does'>): void {
    const waiting = this.#take(key);
    if ('throws' in does) waiting?.reject(errorWithoutStack(does.throws));
    else waiting?.resolve(does.returns);
  }

  performAsPlanned(key: string): void {
    const waiting = this.#take(key);
    waiting?.resolve(waiting.own === undefined ? waiting.asPlanned() : waiting.own.answer);
  }

  /** Stops waiting for the call: time passes instead. */
  giveUp(key: string): void {
    const waiting = this.#take(key);
    if (waiting?.own !== undefined) waiting.own.isWithheld = true;
  }

  #take(key: string): Waiting | undefined {
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    return waiting;
  }

  /** Answers a call after it has ended. */
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

  /** Starts an agent under test, and holds its answer back. */
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

/** The team of an orchestrator whose calls all wait for the path. */
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

/** Without a schema: the path decides the answer. */
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

/** The model knows no stack: the journal of a path must not have one either. */
const errorWithoutStack = (message: string): Error =>
  Object.assign(new Error(message), { stack: '' });

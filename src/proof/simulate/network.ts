import { StoreUnavailableError } from '../../errors.js';
import type { MaybePromise, RunStore } from '../../model/run-store.js';
import { afterwards } from '../../run/maybe-promise.js';
import { never } from './answering.js';
import type { FaultKind } from './fault-kinds.js';
import { NETWORK_FAULTS } from './fault-kinds.js';
import type { Life } from './life.js';
import type { Environment } from './environment.js';

/** The share of requests with a fault, where the world has such faults. */
const SHARE = 0.08;

/** How long a process waits for an answer. */
const ANSWER_TIMEOUT_MS = 300;

/** A delayed request is overtaken within this time, or arrives anyway. */
const HELD_MS = 1_000;

/** Longer than the longest pause between retries. */
const LONGEST_RETRY_MS = 2_000;

interface HeldRequest {
  readonly where: string;
  readonly arrive: () => void;
}

interface Request<Value> {
  readonly where: string;
  /** The effect of the request on the store. */
  readonly effect: () => MaybePromise<Value>;
  readonly life: Life;
}

/** The connection of one process to the store of a simulated world, which itself never fails. */
class Network {
  readonly #environment: Environment;
  readonly #life: Life;
  #count = 0;
  /** Requests that wait to be overtaken. */
  #held: HeldRequest[] = [];

  constructor(environment: Environment, life: Life) {
    this.#environment = environment;
    this.#life = life;
  }

  /** Without a fault the answer is synchronous, as from an in-memory store. */
  ask<Value>(method: string, effect: () => MaybePromise<Value>): MaybePromise<Value> {
    const life = this.#life;
    if (!life.isAlive) return never();
    this.#count += 1;
    const request = { where: `${method} ${this.#count} of life ${life.number}`, effect, life };
    const outage = this.#environment.outage();
    if (outage !== undefined) return this.#fail(request, outage);
    const fault = this.#environment.draw(request.where, NETWORK_FAULTS, SHARE);
    if (fault === undefined) return this.#arrive(request);
    this.#environment.delayed(ANSWER_TIMEOUT_MS + HELD_MS + LONGEST_RETRY_MS);
    if (fault === 'requests-reordered') return this.#hold(request);
    this.#environment.note(fault, request.where);
    return this.#faulty(request, fault);
  }

  #faulty<Value>(request: Request<Value>, fault: FaultKind): MaybePromise<Value> {
    if (fault === 'request-lost') return this.#fail(request, ANSWER_TIMEOUT_MS);
    if (fault === 'answer-lost') return this.#answerLost(request);
    return fault === 'request-duplicated' ? this.#twice(request) : this.#slowly(request);
  }

  #fail<Value>({ life }: Request<Value>, delayMs: number): Promise<Value> {
    return new Promise((_, reject) => {
      life.after(delayMs, () => reject(new StoreUnavailableError('No answer from the store')));
    });
  }

  #arrive<Value>({ effect }: Request<Value>): MaybePromise<Value> {
    try {
      return effect();
    } finally {
      const held = this.#held;
      this.#held = [];
      for (const { where, arrive } of held) {
        this.#environment.note('requests-reordered', where);
        arrive();
      }
    }
  }

  #answerLost<Value>(request: Request<Value>): Promise<Value> {
    void settled(() => this.#arrive(request));
    return this.#fail(request, ANSWER_TIMEOUT_MS);
  }

  /** Delays the request and its answer. An answer after the timeout no longer counts. */
  #slowly<Value>(request: Request<Value>): Promise<Value> {
    const random = this.#environment.random(request.where);
    const thereMs = random.integer(1, 2 * ANSWER_TIMEOUT_MS);
    const backMs = random.integer(0, ANSWER_TIMEOUT_MS);
    const { promise, resolve, reject } = deferred<Value>();
    this.#environment.clock.setTimeout(() => {
      const answer = settled(() => this.#arrive(request));
      request.life.after(backMs, () => resolve(answer));
    }, thereMs);
    request.life.after(ANSWER_TIMEOUT_MS, () => {
      reject(new StoreUnavailableError('No answer from the store'));
    });
    return promise;
  }

  #twice<Value>(request: Request<Value>): MaybePromise<Value> {
    const laterMs = this.#environment.random(request.where).integer(0, 2_000);
    this.#environment.clock.setTimeout(() => void settled(request.effect), laterMs);
    return this.#arrive(request);
  }

  /** Arrives after the next request of the same process; or later, when there is none. */
  #hold<Value>(request: Request<Value>): Promise<Value> {
    const { promise, resolve } = deferred<Value>();
    let hasArrived = false;
    const arrive = (): void => {
      if (hasArrived) return;
      hasArrived = true;
      const answer = settled(request.effect);
      request.life.after(0, () => resolve(answer));
    };
    const held = { where: request.where, arrive };
    this.#held.push(held);
    this.#environment.clock.setTimeout(() => {
      this.#held = this.#held.filter((other) => other !== held);
      arrive();
    }, HELD_MS);
    return promise;
  }
}

/** The result as a promise whose rejection is handled. */
const settled = <Value>(effect: () => MaybePromise<Value>): Promise<Value> => {
  const answer = new Promise<Value>((resolve) => {
    resolve(effect());
  });
  answer.catch(() => undefined);
  return answer;
};

const deferred = <Value>() => {
  let resolve: (value: MaybePromise<Value>) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<Value>((resolving, rejecting) => {
    resolve = resolving;
    reject = rejecting;
  });
  return { promise, resolve, reject };
};

/** The store of a world as one process sees it, through the network. */
export const networkedStore = (environment: Environment, life: Life): RunStore => {
  const network = new Network(environment, life);
  const { truth } = environment;
  const ask = <Value>(method: string, effect: () => MaybePromise<Value>): MaybePromise<Value> =>
    noted(life, method, network.ask(method, effect));
  return {
    create: (header, owner) => ask('create', () => truth.create(life, header, owner)),
    append: (runId, expectedSequence, entries, options) => {
      const writing = life.writes(expectedSequence, options?.token);
      const request = { runId, entries, options, writing };
      return ask('append', () => truth.append(life, request));
    },
    read: (runId, from) => ask('read', () => truth.read(runId, from)),
    list: (filter) => ask('list', () => truth.store.list(filter)),
    renew: (owner, leaseMs, now) =>
      ask('renew', () => truth.renew(owner, leaseMs, environment.storeTime(now))),
    claim: (runId, owner, now) =>
      ask('claim', () => truth.claim(life, runId, owner, environment.storeTime(now))),
    owned: (owner, filter) => ask('owned', () => truth.store.owned(owner, filter)),
    claimable: (now, filter) =>
      ask('claimable', () => truth.store.claimable(environment.storeTime(now), filter)),
    retire: (owner) => ask('retire', () => truth.retire(owner)),
    release: (runId, token) => ask('release', () => truth.release(runId, token)),
    post: (runId, command) => {
      const named = truth.named(command);
      return ask('post', () => truth.post(runId, named));
    },
    inbox: (runId) => {
      const sentAtMs = life.clock.now();
      return afterwards(
        ask('inbox', () => truth.inbox(runId)),
        ({ commands, place }) => {
          life.looks.push({ place, sentAtMs });
          return commands;
        },
      );
    },
    delete: (runId) => ask('delete', () => truth.store.delete(runId)),
    ...(environment.world.hasFleet ? { watch: watching(environment, life) } : {}),
  };
};

/** Requests that confirm a lease: they continue whether or not entries are written. */
const CONFIRMING: ReadonlySet<string> = new Set(['renew', 'owned']);

/** Notes which requests failed. A successful append clears those for the journal. */
const noted = <Value>(
  life: Life,
  method: string,
  answer: MaybePromise<Value>,
): MaybePromise<Value> => {
  const succeed = (value: Value): Value => {
    if (method === 'append' && life.failures.length > 0)
      life.failures = life.failures.filter((failure) => CONFIRMING.has(failure.method));
    return value;
  };
  if (!(answer instanceof Promise)) return succeed(answer);
  return answer.then(succeed, (error: unknown) => {
    if (StoreUnavailableError.isInstance(error))
      life.failures.push({ method, atMs: life.clock.now() });
    throw error;
  });
};

/** Notifications arrive a little later; in some processes never. */
const watching =
  (environment: Environment, life: Life): NonNullable<RunStore['watch']> =>
  (runId, listener) => {
    const where = `hints for life ${life.number}`;
    const isSilent = environment.draw(where, ['watch-silent'], 0.8) !== undefined;
    let isNoted = false;
    return (
      environment.truth.store.watch?.(runId, () => {
        if (!isSilent) life.after(1, listener);
        else if (!isNoted) environment.note('watch-silent', where);
        isNoted = true;
      }) ?? (() => undefined)
    );
  };

import { describe, expect, it } from 'vitest';

import { sealedHeader } from '../../src/journal/sealed-header.js';
import { StoreUnavailableError } from '../../src/errors.js';
import type { FaultKind } from '../../src/proof/simulate/fault-kinds.js';
import { networkedStore } from '../../src/proof/simulate/network.js';
import { settingOf } from '../../src/proof/simulate/policies.js';
import { Environment } from '../../src/proof/simulate/environment.js';
import { worldOf } from '../../src/proof/simulate/world.js';

/* The network of a simulated world does what its faults are called. */

const header = sealedHeader({
  runId: 'r',
  goal: 'g',
  policyFingerprint: 'p',
  chartFingerprint: 'c',
  startedAt: 0,
});

/** A world with one kind of fault, the store as its first process sees it, and the store itself. */
const worldWith = (kind: FaultKind) => {
  const world = { ...worldOf(1), kinds: new Set([kind]), healsAtMs: 1e9, crashes: [] };
  const environment = new Environment({ ...world, hasStoreClock: true }, settingOf(0, 'usual'));
  const life = environment.beginLife();
  environment.truth.create(life, header, 'owner');
  return { environment, life, store: networkedStore(environment, life) };
};

/** Renews until the fault happens, and returns the answer to that request. */
const untilFault = (
  { environment }: { readonly environment: Environment },
  kind: FaultKind,
  ask: (count: number) => unknown,
): unknown => {
  for (let count = 0; count < 500; count += 1) {
    const answer = ask(count);
    if (environment.fired.has(kind)) return answer;
    if (answer instanceof Promise) throw new Error('A request took time without a fault');
  }
  throw new Error(`No ${kind} in 500 requests`);
};

const say = (id: string) => ({ id, at: 0, command: { type: 'conversation.say', text: id } });

describe('the network of a simulated world', () => {
  it('loses a request: nothing changes, and the caller hears that the outcome is unknown', async () => {
    const world = worldWith('request-lost');
    const answer = untilFault(world, 'request-lost', (count) =>
      world.store.post('r', say(`c${count}`)),
    );
    const before = world.environment.truth.posted.size;
    const failure = expect(answer).rejects.toBeInstanceOf(StoreUnavailableError);
    await world.environment.clock.runUntil(failure);
    expect(world.environment.truth.posted.size).toBe(before);
    expect(world.environment.truth.posted.has(world.environment.truth.latestCommandId)).toBe(false);
  });

  it('loses an answer: the change is made, and the caller hears the same', async () => {
    const world = worldWith('answer-lost');
    const answer = untilFault(world, 'answer-lost', (count) =>
      world.store.post('r', say(`c${count}`)),
    );
    const failure = expect(answer).rejects.toBeInstanceOf(StoreUnavailableError);
    await world.environment.clock.runUntil(failure);
    expect(world.environment.truth.posted.has(world.environment.truth.latestCommandId)).toBe(true);
  });

  it('duplicates a request: an owner that claims its run twice has an old token', async () => {
    const world = worldWith('request-duplicated');
    const answer = untilFault(world, 'request-duplicated', () =>
      world.store.claim('r', 'owner', 0),
    );
    world.environment.clock.advance(5_000);
    await world.environment.clock.settle();
    expect(world.environment.truth.token).toBeGreaterThan(
      (answer as { readonly token: number }).token,
    );
  });

  it('reorders requests: one that is held back arrives after the next', async () => {
    const world = worldWith('requests-reordered');
    const answers: unknown[] = [];
    for (
      let count = 0;
      count < 500 && !world.environment.fired.has('requests-reordered');
      count += 1
    ) {
      answers.push(world.store.post('r', say(`c${count}`)));
    }
    const held = answers.findIndex((answer) => answer instanceof Promise);
    await world.environment.clock.runUntil(Promise.all(answers));
    const order = [...world.environment.truth.posted.keys()];
    expect(order.indexOf(`command-${held}`)).toBe(order.indexOf(`command-${held + 1}`) + 1);
  });

  it('delivers nothing to a process that sleeps until it wakes, and nothing to a dead one', async () => {
    const { environment, life } = worldWith('network-slow');
    const heard: string[] = [];
    life.clock.setTimeout(() => heard.push('timer'), 100);
    life.after(50, () => heard.push('answer'));
    life.sleep(1_000);
    environment.clock.advance(999);
    expect(heard).toEqual([]);
    environment.clock.advance(1);
    expect(heard).toEqual(['answer', 'timer']);
    life.after(10, () => heard.push('too late'));
    life.end();
    environment.clock.advance(100);
    await environment.clock.settle();
    expect(heard).toEqual(['answer', 'timer']);
  });

  it('sets a clock forward at once, and fires the timers that are due a little later', () => {
    const { environment, life } = worldWith('clock-jumps');
    let isFired = false;
    life.clock.setTimeout(() => {
      isFired = true;
    }, 10_000);
    const before = life.clock.now();
    life.jump(20_000, 700);
    expect(life.clock.now() - before).toBe(20_000);
    environment.clock.advance(699);
    expect(isFired).toBe(false);
    environment.clock.advance(1);
    expect(isFired).toBe(true);
  });
});

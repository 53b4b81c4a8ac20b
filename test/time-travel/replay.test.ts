import { describe, expect, it } from 'vitest';

import { RunNotFoundError, TimeTravelError } from '../../src/errors.js';
import type { Fact } from '../../src/model/facts.js';
import { createRecordBuilder } from '../../src/journal/record.js';
import { definePolicy } from '../../src/policy/policy.js';
import { memoryStore } from '../../src/services/memory-store.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import { recorded, REFERENCE_RUNS, traveller } from './reference-runs.js';

expectNothingUnhandled();

const [first] = REFERENCE_RUNS;
if (first === undefined) throw new Error('There are reference runs');

/** Calls that were made and had neither an answer nor a failure, by the facts. */
const openByFacts = (facts: readonly Fact[]): string[] => {
  const open = new Set<string>();
  for (const fact of facts) {
    if (fact.type === 'agent.called') open.add(fact.key);
    if (fact.type === 'agent.answered' || fact.type === 'agent.failed') open.delete(fact.key);
  }
  return [...open].sort();
};

describe.each(REFERENCE_RUNS)('the replay of $name', (reference) => {
  it('has the live record at every fact, forwards, backwards and in jumps', async () => {
    const { store, journal, records } = await recorded(reference);
    const { orchestrator } = traveller(reference, store);
    const replay = await orchestrator.replay('run');
    const facts = journal.flatMap((entry) => entry.facts);
    expect(replay.facts).toEqual(facts);
    expect(replay.mismatch).toBeNull();
    expect(replay.moment).toMatchObject({ sequence: 0, fact: null, record: { status: 'running' } });

    const expected = [replay.moment.record];
    const builder = createRecordBuilder({ runId: 'run', goal: 'The goal' });
    for (const fact of facts) {
      builder.add(fact);
      expected.push(builder.record());
    }
    for (const [index, record] of records.entries()) {
      const sequence = journal[index]?.facts.at(-1)?.sequence;
      if (sequence !== undefined) expect(expected[sequence], `live at ${sequence}`).toEqual(record);
    }

    for (let sequence = 1; sequence <= facts.length; sequence += 1) {
      const moment = replay.next();
      expect(moment, `forwards to ${sequence}`).toMatchObject({
        sequence,
        fact: facts[sequence - 1],
      });
      expect(moment?.record).toEqual(expected[sequence]);
    }
    expect(replay.next()).toBeUndefined();
    for (let sequence = facts.length - 1; sequence >= 0; sequence -= 1) {
      expect(replay.previous()?.record, `backwards to ${sequence}`).toEqual(expected[sequence]);
    }
    expect(replay.previous()).toBeUndefined();
    for (let leap = 0; leap <= facts.length; leap += 1) {
      const sequence = (leap * 7919) % (facts.length + 1);
      expect(replay.goTo(sequence).record, `leap to ${sequence}`).toEqual(expected[sequence]);
    }
  });

  it('has the calls, timers and questions that were open', async () => {
    const { store, journal } = await recorded(reference);
    const replay = await traveller(reference, store).orchestrator.replay('run');
    let told = 0;
    for (const [index, entry] of journal.entries()) {
      const { event } = entry;
      if (told > 0 && event.kind === 'elapsed') {
        const { open, sequence } = replay.goTo(told);
        const timer = open.timers?.find(({ name }) => name === event.timer);
        expect(timer, `the timer of entry ${index} at ${sequence}`).toBeDefined();
        expect(timer?.dueAt).toBeLessThanOrEqual(entry.at);
      }
      told = entry.facts.at(-1)?.sequence ?? told;
      if (told === 0) continue;
      const { open, record } = replay.goTo(told);
      const keys = open.calls?.map(({ key }) => key).sort();
      if (record.endedAt === null && !record.steps.some(({ status }) => status === 'cancelled')) {
        const expected = openByFacts(replay.facts.slice(0, told));
        expect(keys, `calls at ${told}`).toEqual(expected);
      }
      expect(open.questions).toEqual(record.openApprovals);
    }
    const { open } = replay.goTo(replay.facts.length);
    expect(open.questions).toEqual([]);
  });

  it('makes no call and writes nothing', async () => {
    const { store } = await recorded(reference);
    const before = JSON.stringify(await store.read('run'));
    const refuse = (): never => {
      throw new Error('A replay writes nothing');
    };
    const readOnly = { ...store, create: refuse, append: refuse, claim: refuse, release: refuse };
    const { orchestrator, calls, clock } = traveller(reference, { ...readOnly, delete: refuse });
    const replay = await orchestrator.replay('run');
    while (replay.next() !== undefined);
    expect(calls).toEqual([]);
    expect(clock.pending()).toBe(0);
    expect(JSON.stringify(await store.read('run'))).toBe(before);
  });
});

describe('a replay', () => {
  it('refuses a number without a fact, and keeps its position', async () => {
    const { store, journal } = await recorded(first);
    const replay = await traveller(first, store).orchestrator.replay('run');
    replay.goTo(3);
    const factCount = journal.flatMap((entry) => entry.facts).length;
    for (const sequence of [-1, factCount + 1, 1.5, Number.NaN, '2', undefined]) {
      expect(() => replay.goTo(sequence as number)).toThrow(TimeTravelError);
      expect(replay.moment.sequence).toBe(3);
    }
  });

  it('refuses a run that is not in the store', async () => {
    const { orchestrator } = traveller(first, memoryStore());
    await expect(orchestrator.replay('none')).rejects.toBeInstanceOf(RunNotFoundError);
    await expect(orchestrator.explain('none', 'a')).rejects.toBeInstanceOf(RunNotFoundError);
    await expect(orchestrator.fork('none', { atSequence: 0 })).rejects.toBeInstanceOf(
      RunNotFoundError,
    );
  });

  it('still shows facts and records under another policy, and says why it has no calls and timers', async () => {
    const { store, records } = await recorded(first);
    const policy = definePolicy({ gates: { plan: 99, code: 99, step: 99, goal: 99 } });
    const replay = await traveller(first, store, { policy }).orchestrator.replay('run');
    expect(replay.mismatch).toMatch(
      /Fact \d+ of its journal is .+; these charts and this policy tell .+\./,
    );
    const moment = replay.goTo(replay.facts.length);
    expect(moment.record).toEqual(records.at(-1));
    expect(moment.open).toMatchObject({ calls: null, timers: null });
  });

  it('can be made of a run in progress', async () => {
    const { store } = await recorded(first);
    const half = memoryStore();
    const stored = await store.read('run');
    if (stored === undefined) throw new Error('The run is stored');
    await half.create(stored.header);
    await half.append('run', 0, stored.entries.slice(0, 8));
    const replay = await traveller(first, half).orchestrator.replay('run');
    const moment = replay.goTo(replay.facts.length);
    expect(moment.record.status).toBe('running');
    expect(moment.open.calls?.length).toBeGreaterThan(0);
  });
});

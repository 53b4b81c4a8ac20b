import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';
import type { AnyMachineSnapshot } from 'xstate';
import { createActor, initialTransition, SimulatedClock, transition } from 'xstate';

import type { Exhibit } from './exhibit.js';
import { exhibits } from './exhibits.js';
import type { Witness } from './explore.js';
import { enabledEvents, stateName } from './explore.js';
import { museumPage } from './page.js';

/**
 * The number of event sequences that are tried one by one to check that none shorter than the witness breaks the
 * property.
 */
const SEQUENCES_MAX = 20_000;

const A_YEAR_MS = 365 * 24 * 3_600_000;

const witnessOf = (exhibit: Exhibit): Witness => {
  const { witness } = exhibit.search(exhibit.broken);
  if (witness === null) throw new Error('Nothing was found');
  return witness;
};

const textOf = (snapshot: AnyMachineSnapshot): string =>
  JSON.stringify([snapshot.value, snapshot.context]);

/** The snapshots of a running actor: at its start, and after every step. */
const playedOn = (exhibit: Exhibit, { steps }: Witness): AnyMachineSnapshot[] => {
  const actor = createActor(exhibit.broken, { clock: new SimulatedClock() }).start();
  const seen: AnyMachineSnapshot[] = [actor.getSnapshot() as AnyMachineSnapshot];
  for (const { event } of steps) {
    actor.send({ type: event });
    seen.push(actor.getSnapshot() as AnyMachineSnapshot);
  }
  return seen;
};

/** Without a table of visited states, so that a mistake in one cannot hide a path; null when there are too many. */
const lengthByBruteForce = (exhibit: Exhibit): number | null => {
  const [first] = initialTransition(exhibit.broken);
  let histories: AnyMachineSnapshot[][] = [[first as AnyMachineSnapshot]];
  let tried = 0;
  for (let length = 0; tried <= SEQUENCES_MAX; length += 1) {
    tried += histories.length;
    if (histories.some((history) => isBrokenBy(exhibit, history))) return length;
    histories = histories.flatMap((history) => {
      const last = history.at(-1);
      if (last === undefined) return [];
      return enabledEvents(last).map((type) => {
        const [next] = transition(exhibit.broken, last, { type });
        return [...history, next as AnyMachineSnapshot];
      });
    });
  }
  return null;
};

const isBrokenBy = (exhibit: Exhibit, history: readonly AnyMachineSnapshot[]): boolean => {
  const last = history.at(-1);
  if (last === undefined) return false;
  if (exhibit.property === 'never') return exhibit.isBrokenAt(last);
  if (last.status !== 'active') return false;
  if (exhibit.property === 'leavesByItself') {
    return enabledEvents(last).every((event) => !event.startsWith('xstate.after.'));
  }
  return history.slice(0, -1).some((earlier) => textOf(earlier) === textOf(last));
};

describe.each(exhibits.map((exhibit) => ({ name: exhibit.id, exhibit })))(
  'exhibit $name',
  ({ exhibit }) => {
    const witness = witnessOf(exhibit);

    it('is found by a path of the stated length', () => {
      expect(witness.steps).toHaveLength(exhibit.shortest);
    });

    it('has no shorter path when every sequence of events is tried', () => {
      const length = lengthByBruteForce(exhibit);
      expect(length ?? exhibit.shortest).toBe(exhibit.shortest);
    });

    it('happens on a live actor', () => {
      const played = playedOn(exhibit, witness);
      const last = played.at(-1);
      expect(last === undefined ? '' : stateName(last)).toBe(
        (witness.steps.at(-1)?.through ?? witness.start).at(-1),
      );
      expect(isBrokenBy(exhibit, played)).toBe(true);
    });

    it('is not found in any state of the fixed chart', () => {
      const { witness: none, states } = exhibit.search(exhibit.fixed);
      expect(none).toBeNull();
      expect(states).toBeGreaterThan(1);
    });
  },
);

describe('the museum', () => {
  it('has every defect of the checklist, and no name twice', () => {
    const sources = exhibits.map(({ source }) => source).join('; ');
    for (let number = 1; number <= 18; number += 1) expect(sources).toContain(`A.6.${number}`);
    for (const letter of 'abcdef') expect(sources).toContain(`B.3 ${letter}`);
    for (const number of [1, 2, 3, 4, 5]) expect(sources).toContain(`B.4 (${number})`);
    expect(sources).toContain('B.10');
    expect(new Set(exhibits.map(({ id }) => id)).size).toBe(exhibits.length);
    expect(new Set(exhibits.map(({ title }) => title)).size).toBe(exhibits.length);
  });

  it('is explored in far less than ten seconds', () => {
    const begin = performance.now();
    const results = exhibits.flatMap((exhibit) => [
      exhibit.search(exhibit.broken),
      exhibit.search(exhibit.fixed),
    ]);
    const durationMs = performance.now() - begin;
    const states = results.reduce((sum, result) => sum + result.states, 0);
    const moves = results.reduce((sum, result) => sum + result.moves, 0);
    process.stdout.write(
      `museum: ${exhibits.length} exhibits, ${states} states, ${moves} moves, ${Math.round(durationMs)} ms\n`,
    );
    // The states of every chart are on the page; this is their sum, so that no chart grows unnoticed.
    expect({ states, moves }).toEqual({ states: 1371, moves: 1661 });
    expect(durationMs).toBeLessThan(10_000);
  });

  it('shows that a broken time check waits for a hanging agent as long as no timer fires', () => {
    const hung = exhibits.find(({ id }) => id === 'hung-agent');
    const clock = new SimulatedClock();
    const states = [hung?.broken, hung?.fixed].flatMap((chart) => {
      if (chart === undefined) return [];
      const actor = createActor(chart, { clock }).start();
      clock.increment(A_YEAR_MS);
      return stateName(actor.getSnapshot() as AnyMachineSnapshot);
    });
    expect(states).toEqual(['working', 'ended']);
  });

  it('matches its page, docs/internals/museum.md', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/internals/museum.md'), 'utf8');
    expect(page, 'docs/internals/museum.md is out of date: npm run museum').toBe(museumPage());
  });
});

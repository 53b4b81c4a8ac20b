import type { SharedCheck } from './contract-case.js';
import { commandOf, entriesFrom, headerOf, LEASE_MS, takenOf, tokenFor } from './contract-case.js';
import { countAccepted, expectRefused, expectSame } from './expectation.js';
import { expectSoon, watching } from './watch-cases.js';

/** How often a race is run. */
const ROUNDS = 20;

export const sharedCases: Readonly<Record<string, SharedCheck>> = {
  'reads through one store what the other has written': async (one, other) => {
    await one.create(headerOf('run'));
    await one.append('run', 0, entriesFrom(0, 2), { state: 'a state' });
    await one.post('run', commandOf('a'));
    expectSame('The run', await other.read('run'), {
      header: headerOf('run'),
      entries: entriesFrom(0, 2),
      ended: false,
      state: { sequence: 2, body: 'a state' },
    });
    expectSame('How many wait', (await other.inbox('run')).length, 1);
    await other.append('run', 2, entriesFrom(2, 3), { ended: true, taken: takenOf('a') });
    expectSame('How many wait', (await one.inbox('run')).length, 0);
    await expectRefused('append to a run that the other has ended', 'run-conflict', () =>
      one.append('run', 3, entriesFrom(3, 4)),
    );
    await other.delete('run');
    expectSame('A run that the other has deleted', await one.read('run'), undefined);
  },

  'lets one of two stores create an id': async (one, other) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const creates = [one, other].map((store) => () => store.create(headerOf(`run-${round}`)));
      const accepted = await countAccepted('one of two creates', 'run-conflict', creates);
      expectSame('How many of two creates were accepted', accepted, 1);
    }
  },

  'lets one of two stores append the next entry': async (one, other) => {
    await one.create(headerOf('run'));
    for (let round = 0; round < ROUNDS; round += 1) {
      const appends = [one, other].map(
        (store) => () => store.append('run', round, entriesFrom(round, round + 1)),
      );
      const accepted = await countAccepted('one of two appends', 'run-conflict', appends);
      expectSame('How many of two appends were accepted', accepted, 1);
    }
    expectSame('The entries', (await other.read('run'))?.entries, entriesFrom(0, ROUNDS));
  },

  'lets one of two owners claim a run': async (one, other, time) => {
    for (const owner of ['one', 'other']) await one.renew(owner, 60_000, time.now());
    for (let round = 0; round < ROUNDS; round += 1) {
      const runId = `run-${round}`;
      await one.create(headerOf(runId));
      const claims = await Promise.all([
        one.claim(runId, 'one', time.now()),
        other.claim(runId, 'other', time.now()),
      ]);
      const winners = claims.filter((claim) => claim !== undefined);
      expectSame('How many of two owners got a run', winners.length, 1);
      for (const { token } of winners) await other.append(runId, 0, entriesFrom(0, 1), { token });
    }
  },

  'lets one of two owners take over a run whose lease has ended, and refuses the previous owner':
    async (one, other, time) => {
      const ids = Array.from({ length: ROUNDS }, (_item, round) => `run-${round}`);
      const tokens = new Map<string, number>();
      for (const runId of ids) {
        await one.create(headerOf(runId));
        tokens.set(runId, await tokenFor(one, runId, 'dead', time));
      }
      await time.pass(LEASE_MS);
      for (const owner of ['one', 'other']) await one.renew(owner, 60_000, time.now());
      for (const runId of ids) {
        const dead = tokens.get(runId) ?? 0;
        const claims = await Promise.all([
          one.claim(runId, 'one', time.now()),
          other.claim(runId, 'other', time.now()),
        ]);
        const winners = claims.filter((claim) => claim !== undefined);
        expectSame('How many of two took over', winners.length, 1);
        expectSame('Whether it is a takeover', winners[0]?.isTakeover, true);
        await expectRefused('append by the previous owner', 'run-conflict', () =>
          one.append(runId, 0, entriesFrom(0, 1), { token: dead }),
        );
        for (const { token } of winners) await other.append(runId, 0, entriesFrom(0, 1), { token });
      }
    },

  'keeps a command that is posted through both stores once, and loses none': async (one, other) => {
    await one.create(headerOf('run'));
    const ids = Array.from({ length: ROUNDS }, (_item, index) => `command-${index}`);
    await Promise.all(
      ids.flatMap((id) => [one, other].map(async (store) => store.post('run', commandOf(id)))),
    );
    const waiting = (await other.inbox('run')).map(({ id }) => id);
    expectSame('The inbox', waiting.sort(), ids.sort());
  },

  'notifies a watcher of posts and appends through the other store': async (one, other) => {
    await one.create(headerOf('run'));
    const seen = watching(other, 'run');
    if (seen === undefined) return;
    await one.post('run', commandOf('a'));
    await expectSoon('The listener was not called for a command', () => seen.count > 0);
    const before = seen.count;
    await one.append('run', 0, entriesFrom(0, 1));
    await expectSoon('The listener was not called for an entry', () => seen.count > before);
    seen.stop();
  },
};

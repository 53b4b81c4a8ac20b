import { describe, expect, it } from 'vitest';

import { TimeTravelError } from '../../src/errors.js';
import type { RunReport } from '../../src/journal/report.js';
import type { Command } from '../../src/model/commands.js';
import type { Run } from '../../src/run/run.types.js';
import { memoryStore } from '../../src/services/memory-store.js';
import { agreeTo } from '../run/reference-run.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import { recorded, REFERENCE_RUNS, traveller } from './reference-runs.js';

expectNothingUnhandled();

/* A fork with a command ends or waits as a live run does, wherever it leaves its parent. */

const COMMANDS: readonly Command[] = [
  { type: 'conversation.say', text: 'Look at this again' },
  { type: 'run.pause' },
  { type: 'run.unpause' },
  { type: 'time.extend', extraMs: 1_000 },
  { type: 'run.abort', reason: 'Enough' },
  { type: 'plan.skip', stepIds: ['a'] },
  { type: 'plan.skipTo', stepId: 'b' },
  { type: 'approval.grant', requestId: 'a:1.1', answer: 'Yes' },
];

/** How it ended, independent of order: recorded answers arrive immediately. */
const essence = ({ status, reason, steps }: RunReport): unknown => ({
  status,
  reason,
  steps: steps.map((step) => `${step.id} ${step.status}`).sort(),
});

/** A long journal is left at every third or fourth entry. */
const STARTS_MAX = 25;

const tell = (run: Run, command: Command): Promise<unknown> => {
  switch (command.type) {
    case 'conversation.say':
      return run.say(command.text);
    case 'run.pause':
      return run.pause();
    case 'run.unpause':
      return run.unpause();
    case 'time.extend':
      return run.extendTime(command.extraMs);
    case 'run.abort':
      return run.abort(command.reason);
    case 'plan.skip':
      return run.skip(command.stepIds);
    case 'plan.skipTo':
      return run.skipTo(command.stepId);
    case 'approval.grant':
      return run.approve(command.requestId, command.answer);
    case 'approval.reject':
      return run.reject(command.requestId, command.reason);
  }
};

describe.each(REFERENCE_RUNS)('a fork of $name with a command', (reference) => {
  // Facts of one entry are shared together: one of each entry represents all of them.
  it('begins with its start, and ends or waits for the person, wherever it leaves', async () => {
    const { store, journal } = await recorded(reference);
    const { orchestrator, clock } = traveller(reference, store);
    const all = journal.flatMap(({ facts }) => facts[0]?.sequence ?? []);
    const starts = all.filter((_, index) => index % Math.ceil(all.length / STARTS_MAX) === 0);
    let accepted = 0;
    for (const atSequence of [0, ...starts]) {
      for (const command of COMMANDS) {
        const fork = orchestrator.fork('run', { atSequence, changes: { commands: [command] } });
        const run = await fork.catch((error: unknown) => {
          expect(TimeTravelError.isInstance(error), String(error)).toBe(true);
        });
        if (run === undefined) continue;
        accepted += 1;
        const where = `${command.type} at ${atSequence}`;
        expect(run.journal()[0]?.event.kind, where).toBe('started');
        if (command.type === 'run.pause') {
          // Calls in flight may have ended the run meanwhile.
          const resumed = await run.unpause();
          const reason = resumed.accepted ? undefined : resumed.reason;
          expect([undefined, 'run-ending', 'run-ended'], where).toContain(reason);
        }
        reference.people?.(run, clock);
        await clock.runUntil(run.done);
        expect((await run.done).endedAt, where).not.toBeNull();
      }
    }
    expect(accepted).toBeGreaterThan(starts.length);
  }, 120_000);

  // Where the clock decides, recorded answers, which arrive immediately, make another run.
  const isByClock =
    reference.isTimed === true || (reference.people !== undefined && reference.people !== agreeTo);
  if (isByClock) return;

  it('at 0 equals a run that gets the command as soon as it has begun', async () => {
    const { store } = await recorded(reference);
    for (const command of COMMANDS.filter(({ type }) => type !== 'run.pause')) {
      // A team for each: some of its agents answer differently when they are called again.
      const { orchestrator, clock } = traveller(reference, store);
      const runId = `what-if-${command.type.replace('.', '-')}`;
      const live = traveller(reference, memoryStore());
      const started = live.orchestrator.start({
        goal: 'The goal',
        runId,
        ...reference.start,
      });
      const answer = await tell(started, command);
      const fork = orchestrator.fork('run', {
        atSequence: 0,
        runId,
        changes: { commands: [command] },
      });
      if ((answer as { accepted: boolean }).accepted) {
        const forked = await fork;
        reference.people?.(started, live.clock);
        reference.people?.(forked, clock);
        await live.clock.runUntil(started.done);
        await clock.runUntil(forked.done);
        expect(essence(await forked.done), command.type).toEqual(essence(await started.done));
      } else {
        await expect(fork, command.type).rejects.toThrow(TimeTravelError);
      }
    }
  }, 60_000);
});

describe('a fork of a run that never began', () => {
  it('begins', async () => {
    const [reference] = REFERENCE_RUNS;
    if (reference === undefined) throw new Error('There is no reference run');
    const { store: told } = await recorded(reference);
    const stored = await told.read('run');
    const store = memoryStore();
    await store.create({ ...stored!.header });
    const { orchestrator } = traveller(reference, store);
    for (const commands of [[], [{ type: 'run.abort', reason: 'Enough' }]] as const) {
      const run = await orchestrator.fork('run', { atSequence: 0, changes: { commands } });
      expect(run.journal()[0]?.event.kind).toBe('started');
      void run.abort();
      expect((await run.done).status).toBe('aborted');
    }
  });
});

import { describe, expect, it } from 'vitest';

import type { CommandResult } from '../../src/run/run.types.js';
import { factsOf, started } from '../run/runs.js';
import { slowStore } from '../run/stores.js';
import { slowAgent } from '../scenarios/team.js';
import type { FloodReport } from './events-flood-process.js';
import { expectNoLeaks, watchedClock } from './no-leaks.js';
import { runProcess } from './time-own-process.js';

expectNoLeaks();

/* The bound is on waiting commands, and refuses with `inbox-full`. Processed commands are all in the journal. */

const INBOX_MAX = 10_000;

describe('a flood of commands', () => {
  it('with a million while the store is stuck: ten thousand wait, the rest are refused, memory stays flat', async () => {
    const [message] = await runProcess(new URL('./events-flood-process.ts', import.meta.url));
    const flood = message as FloodReport;
    expect(flood).toMatchObject({
      accepted: INBOX_MAX,
      reasons: { 'inbox-full': 1_000_000 - INBOX_MAX },
      said: INBOX_MAX,
      areSaidInOrder: true,
      status: 'completed',
    });
    expect(flood.heapGrowthBytes).toBeLessThan(1_000_000);
    expect(flood.commandsPerSecond).toBeGreaterThan(50_000);
  }, 120_000);

  it('with a hundred thousand while an entry is written: ten thousand wait, the rest are refused', async () => {
    const clock = watchedClock();
    const store = slowStore(clock, 1);
    const agents = [slowAgent('worker', clock, 100)];
    const { run } = started({ clock, store, agents });
    const results: CommandResult[] = [];
    const flood = (): void => {
      for (let index = 0; index < 100_000; index += 1) {
        void run.say(`${index}`).then((result) => results.push(result));
      }
    };
    let isFlooded = false;
    run.subscribe((fact) => {
      if (isFlooded || fact.type !== 'step.completed') return;
      isFlooded = true;
      flood();
    });
    await clock.runUntil(run.done);
    expect(results).toHaveLength(100_000);
    // A refusal is answered immediately, an acceptance when it is durable.
    expect(results.filter(({ accepted }) => accepted)).toHaveLength(INBOX_MAX);
    expect(
      results.filter((result) => !result.accepted && result.reason === 'inbox-full'),
    ).toHaveLength(100_000 - INBOX_MAX);
    const texts = factsOf(run).flatMap((fact) =>
      fact.type === 'conversation.said' ? [fact.text] : [],
    );
    expect(texts).toEqual(Array.from({ length: INBOX_MAX }, (_, index) => `${index}`));
    expect((await run.done).status).toBe('completed');
  });
});

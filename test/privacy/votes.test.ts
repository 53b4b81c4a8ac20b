import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { defineAgent } from '../../src/agents/agent.js';
import { secret } from '../../src/agents/secret.js';
import { fingerprint, stableStringify } from '../../src/canonical-json.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import { memoryStore } from '../../src/services/memory-store.js';
import type { RunStore } from '../../src/model/run-store.js';
import { checkInvariants } from '../../src/testing/invariants/check-invariants.js';
import { storeWith } from '../run/runs.js';
import { inTurn } from '../scenarios/scripted.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';

expectNothingUnhandled();

const policy = definePolicy({
  limits: { maxVotes: 3, maxAttempts: 1, maxDepth: 0 },
  retry: { attempts: 1 },
});

const PLAN = {
  steps: [
    { id: 'a', agent: 'guesser', task: 'Find the PIN', votes: { count: 3, choose: 'majority' } },
    { id: 'b', agent: 'user', task: 'Use the PIN', dependsOn: ['a'] },
  ],
} as const;

/** Three votes on a PIN that must not be written, and a step that needs it. */
const voteOn = (
  pins: readonly string[],
  given: { readonly isSecret?: boolean; readonly store?: RunStore } = {},
) => {
  const { isSecret = true, store = memoryStore() } = given;
  const pin = z.string();
  const used: unknown[] = [];
  const next = inTurn(...pins);
  const orchestrator = composeOrchestrator(
    {
      store,
      policy,
      agents: [
        defineAgent({
          name: 'guesser',
          description: 'Finds a PIN',
          output: z.object({ pin: isSecret ? secret(pin) : pin }),
          run: () => ({ pin: next(undefined) as string }),
        }),
        defineAgent({
          name: 'user',
          description: 'Uses a PIN',
          run: ({ dependencies }) => {
            used.push(dependencies[0]?.output);
            return 'used';
          },
        }),
      ],
    },
    undefined,
  );
  return { orchestrator, used, store };
};

describe('a vote on a redacted output', () => {
  it('leaves nothing in the journal from which the output could be guessed by trying', async () => {
    const { orchestrator, store } = voteOn(['4711', '4711', '0815']);
    await orchestrator.start({ goal: 'G', runId: 'run', plan: PLAN }).done;
    const written = JSON.stringify(await store.read('run'));
    const tried = Array.from({ length: 10_000 }, (_, pin) =>
      fingerprint(stableStringify({ pin: String(pin).padStart(4, '0') })),
    );
    expect(written).toContain('vote.cast');
    expect(tried.filter((digest) => written.includes(digest))).toEqual([]);
  });

  it('is decided by the output itself, not by its redacted form', async () => {
    const { orchestrator, used } = voteOn(['0000', '4711', '4711']);
    const run = orchestrator.start({ goal: 'G', plan: PLAN });
    expect((await run.done).status).toBe('completed');
    expect(used).toEqual([{ pin: '4711' }]);
    expect(run.record().steps[0]?.votes?.cast.map(({ digest }) => digest)).toEqual([
      'vote-1',
      'vote-2',
      'vote-2',
    ]);
  });

  it('has no majority when all outputs differ, though their redacted forms are equal', async () => {
    const { orchestrator } = voteOn(['1', '2', '3']);
    const run = orchestrator.start({ goal: 'G', plan: PLAN });
    const report = await run.done;
    expect(report.steps[0]?.reason).toContain('No answer has more than half');
    expect(checkInvariants(run.journal(), { policy })).toEqual([]);
  });

  it('counts votes of an earlier process as different answers, so that it never agrees by mistake', async () => {
    const { orchestrator, store } = voteOn(['4711', '4711', '4711']);
    const first = orchestrator.start({ goal: 'G', runId: 'run', plan: PLAN });
    await first.done;
    const firstVote = first
      .journal()
      .findIndex(({ facts }) => facts.some(({ type }) => type === 'vote.cast'));
    const survived = await storeWith(store, 'run', firstVote + 1);
    const later = voteOn(['0000', '0000'], { store: survived });
    const run = await later.orchestrator.resume('run');
    await run.done;
    expect(run.record().steps[0]?.votes?.cast.map(({ digest }) => digest)).toEqual([
      'vote-1',
      'vote-2',
      'vote-2',
    ]);
    expect(later.used).toEqual([{ pin: '0000' }]);
  });
});

describe('a vote on an output that is not redacted', () => {
  it('agrees with the votes of an earlier process', async () => {
    const { orchestrator, store } = voteOn(['4711', '4711'], { isSecret: false });
    const first = orchestrator.start({ goal: 'G', runId: 'run', plan: PLAN });
    await first.done;
    const firstVote = first
      .journal()
      .findIndex(({ facts }) => facts.some(({ type }) => type === 'vote.cast'));
    const survived = await storeWith(store, 'run', firstVote + 1);
    const later = voteOn(['4711'], { isSecret: false, store: survived });
    const run = await later.orchestrator.resume('run');
    expect((await run.done).status).toBe('completed');
    expect(run.record().steps[0]?.votes?.cast).toHaveLength(2);
  });
});

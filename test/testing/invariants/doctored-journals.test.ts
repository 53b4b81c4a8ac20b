import { beforeAll, describe, expect, it } from 'vitest';

import { done, handOff } from '../../../src/agents/report.js';
import { defineAgent } from '../../../src/agents/agent.js';
import type { JournalEntry } from '../../../src/journal/entry.js';
import type { Fact, FactType } from '../../../src/model/facts.js';
import { definePolicy } from '../../../src/policy/policy.js';
import type { PolicyOverrides } from '../../../src/model/policy.js';
import { checkInvariants } from '../../../src/testing/invariants/check-invariants.js';
import type { InvariantName } from '../../../src/testing/invariants/invariants.js';
import { INVARIANTS } from '../../../src/testing/invariants/invariants.js';
import { play } from '../../scenarios/harness.js';
import { plannerInTurn } from '../../scenarios/planners.js';
import { scriptedAgent } from '../../scenarios/scripted.js';
import { steps } from '../../scenarios/team.js';

/*
 * Invariants that only a whole journal shows, or that need a supervisor, a clock and a budget: each violated on
 * purpose.
 */

const held: PolicyOverrides = {
  limits: { maxReplans: 0, maxParallel: 2, maxTokens: 100, maxAgentCalls: 50, maxAttempts: 3 },
  time: { stepTimeoutMs: 1_000 },
  approval: { agents: ['architect'], timeoutMs: 2_000 },
  gates: { step: 60 },
  retry: { attempts: 1 },
};

/** Two agents, one of them slow; a supervisor that rejects at first; a person who takes a second. */
const supervisedRun = async (): Promise<readonly JournalEntry[]> => {
  const scores = [40, 20, 90, 90, 90, 90];
  const { journal } = await play('straight', (clock) => {
    const agent = (name: string) =>
      defineAgent({
        name,
        description: name,
        run: async () => {
          await clock.sleep(500);
          return done({ text: name }, { usage: { inputTokens: 5, outputTokens: 5 } });
        },
      });
    return {
      options: {
        agents: [agent('worker'), agent('architect')],
        supervisor: () => ({ score: scores.shift() ?? 90 }),
        policy: definePolicy(held),
      },
      start: { plan: { steps: steps('a', 'architect:b', 'c<a', 'd') } },
      onFact: (fact, control) => {
        if (fact.type !== 'approval.requested') return;
        clock.setTimeout(() => control.approve(fact.requestId), 1_000);
      },
    };
  });
  return journal;
};

/** A trivial plan of one step, which hands off to another agent. */
const trivialRun = async (): Promise<readonly JournalEntry[]> => {
  const run = await play('straight', () => ({
    options: {
      agents: [
        scriptedAgent('worker', handOff({ agent: 'architect', task: 'Design the rest of it' })),
        scriptedAgent('architect', done('designed')),
      ],
    },
    start: { plan: { steps: steps('a'), scope: 'trivial' } },
  }));
  return run.journal;
};

let journal: readonly JournalEntry[] = [];

beforeAll(async () => {
  journal = await supervisedRun();
});

const broken = (
  run: readonly JournalEntry[] | readonly Fact[],
  overrides: PolicyOverrides = held,
): InvariantName[] => [
  ...new Set(checkInvariants(run, { policy: definePolicy(overrides) }).map(({ name }) => name)),
];

/** The journal with some facts changed or, where the change is null, removed; the rest is renumbered. */
const changed = <Type extends FactType>(
  type: Type,
  change: (fact: Fact<Type>) => Partial<Fact<Type>> | null,
): JournalEntry[] => {
  let sequence = 0;
  return journal.map((entry) => ({
    ...entry,
    facts: entry.facts.flatMap((fact) => {
      const difference = fact.type === type ? change(fact as Fact<Type>) : {};
      if (difference === null) return [];
      sequence += 1;
      return [{ ...fact, ...difference, sequence }];
    }),
  }));
};

describe('a valid journal', () => {
  it('violates nothing, by its entries or by its facts alone', () => {
    expect(broken(journal)).toEqual([]);
    expect(broken(journal.flatMap(({ facts }) => facts))).toEqual([]);
    const types = new Set(journal.flatMap(({ facts }) => facts.map(({ type }) => type)));
    for (const type of ['escalation.changed', 'approval.granted', 'step.retried'] as const) {
      expect(types).toContain(type);
    }
  });

  it('is the base of a violation, which names the invariant, the fact and what happened', () => {
    const [violation] = checkInvariants(journal.slice(0, -1), { policy: definePolicy(held) });
    expect(violation).toMatchObject({ name: 'causes-first', invariant: 15, sequence: null });
    expect(violation?.message).toBe('the run has no end');
    const twice = checkInvariants(
      changed('step.completed', ({ stepId }) => (stepId === 'a' ? { attempts: 9 } : {})),
      { policy: definePolicy(held) },
    );
    const at = journal
      .flatMap(({ facts }) => facts)
      .find((fact) => fact.type === 'step.completed' && fact.stepId === 'a')?.sequence;
    expect(twice[0]).toMatchObject({ name: 'attempts-bounded', invariant: 4, sequence: at });
  });

  it('is checked by invariants that have a number and a sentence each', () => {
    for (const { number, promise } of Object.values(INVARIANTS)) {
      expect(number).toBeGreaterThan(0);
      expect(promise).toMatch(/^[A-Z].*\.$/);
    }
  });
});

describe('a changed journal violates', () => {
  it('journal-gapless: an entry or a fact is missing', () => {
    expect(broken(journal.toSpliced(3, 1))).toContain('journal-gapless');
    const skipping = journal.map((entry, index) => ({
      ...entry,
      facts: entry.facts.map((fact) => ({
        ...fact,
        sequence: fact.sequence + (index > 2 ? 1 : 0),
      })),
    }));
    expect(broken(skipping)).toEqual(['journal-gapless']);
  });

  it('causes-first: an entry after the end, a wrong time, time that runs backwards', () => {
    const last = journal.at(-1)!;
    const added = { ...last, sequence: last.sequence + 1, facts: [], intents: [] };
    expect(broken([...journal, added])).toEqual(['causes-first']);
    expect(broken(changed('phase.entered', ({ at }) => ({ at: at + 1 })))).toContain(
      'causes-first',
    );
    const [first, ...rest] = journal;
    const at = rest[0]!.at + 1;
    const late = { ...first!, at, facts: first!.facts.map((fact) => ({ ...fact, at })) };
    expect(broken([late, ...rest])).toContain('causes-first');
  });

  it('intent-first: a call without an intent, an intent without a call, a result too early', () => {
    const withoutIntents = journal.map((entry) => ({ ...entry, intents: [] }));
    expect(broken(withoutIntents)).toEqual(['intent-first']);
    expect(broken(changed('agent.called', () => null))).toContain('intent-first');
    const index = journal.findIndex(({ intents }) => intents.length > 0);
    const later = journal.with(index, { ...journal[index]!, intents: [] });
    expect(broken(later)).toEqual(['intent-first']);
  });

  it('outputs-kept: an output differs from the answer', () => {
    const other = changed('agent.answered', ({ role }) =>
      role === 'worker' ? { output: { text: 'Another' } } : {},
    );
    expect(broken(other)).toEqual(['outputs-kept']);
  });

  it('no-idle-slot: a step can run, a slot is free, and nothing happens', () => {
    expect(broken(journal, { ...held, limits: { ...held.limits, maxParallel: 3 } })).toContain(
      'no-idle-slot',
    );
    // No fact says that c is left out, and it waits for ever.
    const forgotten = journal.map((entry) => ({
      ...entry,
      facts: entry.facts.filter((fact) => !('stepId' in fact && fact.stepId === 'c')),
    }));
    expect(broken(forgotten)).toContain('no-idle-slot');
  });

  it('ladder-in-order: a level is left out, wrong, or miscounted', () => {
    expect(broken(changed('escalation.changed', () => null))).toContain('ladder-in-order');
    expect(broken(changed('escalation.changed', () => ({ to: 'critical' as const })))).toContain(
      'ladder-in-order',
    );
    expect(broken(changed('escalation.changed', () => ({ consecutiveIssues: 7 })))).toEqual([
      'ladder-in-order',
    ]);
    expect(broken(changed('verdict.given', () => ({ passed: true })))).toContain('ladder-in-order');
    expect(broken(changed('verdict.given', () => ({ score: 100 })))).toContain('ladder-in-order');
  });

  it('ceilings-held: a call when the budget is spent, an output that is too large', () => {
    const limited = (limits: PolicyOverrides['limits']): PolicyOverrides => ({
      ...held,
      limits: { ...held.limits, ...limits },
    });
    expect(broken(journal, limited({ maxTokens: 20 }))).toEqual(['ceilings-held']);
    expect(broken(journal, limited({ maxAgentCalls: 5 }))).toEqual(['ceilings-held']);
    const costly = changed('agent.answered', () => ({ usage: { costUsd: 1 } }));
    expect(broken(costly, limited({ maxCostUsd: 2 }))).toEqual(['ceilings-held']);
    const text = 'x'.repeat(2_000);
    const large = journal.map((entry) => replaceText(entry, text));
    expect(broken(large)).toEqual([]);
    expect(broken(large, limited({ maxOutputBytes: 1_024 }))).toEqual(['ceilings-held']);
  });

  it('ceilings-held: a call that a breaker refuses when the budget is spent', async () => {
    const shutOut = (maxAgentCalls: number): PolicyOverrides => ({
      limits: { maxAgentCalls, maxFailures: 99, maxParallel: 1 },
      failure: { onStepFailure: 'continue' },
      breaker: { failures: 1, resetMs: 60_000 },
      retry: { attempts: 1 },
    });
    const run = await play('straight', () => ({
      options: {
        agents: [scriptedAgent('worker', new Error('down'))],
        policy: definePolicy(shutOut(4)),
      },
      start: { plan: { steps: steps('a', 'b', 'c', 'd') } },
    }));
    expect(broken(run.journal, shutOut(4))).toEqual([]);
    expect(broken(run.journal, shutOut(3))).toEqual(['ceilings-held']);
  });

  it('recoveries-bounded: a run dies too often and continues, or is failed too soon', () => {
    const strict = { ...held, limits: { ...held.limits, maxRecoveries: 1 } };
    // Between two entries where nothing was completed, and at the end, where something was.
    const told = (...takeovers: number[]): JournalEntry[] => {
      const deaths = takeovers.map((count): JournalEntry => ({
        ...journal[1]!,
        event: { kind: 'commanded', event: { type: 'run.recovered', takeovers: count } as never },
        facts: [],
        intents: [],
      }));
      const [first, second, ...rest] = journal;
      const [early, late] = [deaths.slice(0, 2), deaths.slice(2)];
      const all = [first!, second!, ...early, ...rest.slice(0, -1), ...late, rest.at(-1)!];
      return all.map((entry, sequence) => ({ ...entry, sequence }));
    };
    const recoveriesIn = (run: JournalEntry[]) =>
      broken(run, strict).filter((name) => name === 'recoveries-bounded');
    expect(recoveriesIn(told(1))).toEqual([]);
    expect(recoveriesIn(told(1, 2))).toEqual(['recoveries-bounded']);
    expect(recoveriesIn(told(1, 1, 2))).toEqual([]);
    expect(recoveriesIn(told(1, 1, 3))).toEqual(['recoveries-bounded']);
    const early = changed('run.ended', () => ({
      status: 'failed' as const,
      reason: 'max-recoveries',
    }));
    expect(broken(early)).toEqual(['recoveries-bounded']);
  });

  it('recoveries-bounded: a takeover is counted though no call was in flight', async () => {
    // The run waits for a person from its first entry on.
    const { journal: waiting } = await play('straight', (clock) => ({
      options: {
        agents: [scriptedAgent('architect', done('designed'))],
        supervisor: () => ({ score: 90 }),
        policy: definePolicy(held),
      },
      start: { plan: { steps: steps('architect:b') } },
      onFact: (fact, control) => {
        if (fact.type !== 'approval.requested') return;
        clock.setTimeout(() => control.approve(fact.requestId), 1_000);
      },
    }));
    const [first, ...rest] = waiting;
    const death: JournalEntry = {
      ...first!,
      event: { kind: 'commanded', event: { type: 'run.recovered', takeovers: 1 } as never },
      facts: [],
      intents: [],
    };
    const run = [first!, death, ...rest].map((entry, sequence) => ({ ...entry, sequence }));
    expect(broken(waiting)).toEqual([]);
    expect(broken(run)).toEqual(['recoveries-bounded']);
  });

  it('consent-first: a plan is adopted without approval, whatever its scope', async () => {
    const facts = (await trivialRun()).flatMap((entry) => entry.facts);
    expect(broken(facts, {})).toEqual([]);
    expect(broken(facts, { approval: { plan: true, autoApproveTrivial: true } })).toEqual([
      'consent-first',
    ]);
  });

  it('consent-first: a trivial plan hands off to an agent that needs approval', async () => {
    const facts = (await trivialRun()).flatMap((entry) => entry.facts);
    const guarded = (agent: string): PolicyOverrides => ({
      approval: { agents: [agent], autoApproveTrivial: true },
    });
    expect(broken(facts, guarded('worker'))).toEqual([]);
    expect(broken(facts, guarded('architect'))).toEqual(['consent-first']);
  });

  it('pause-held: a step starts, or the planner is retried, while the run is paused', async () => {
    const run = await play('straight', () => ({
      options: {
        agents: [scriptedAgent('worker', done('done'))],
        planner: plannerInTurn(new Error('Not now'), ['a']),
      },
      at: { 1: (control) => control.pause(), 2_000: (control) => control.unpause() },
    }));
    const facts = run.journal.flatMap((entry) => entry.facts);
    expect(broken(facts, {})).toEqual([]);
    const withoutEnd = facts
      .filter(({ type }) => type !== 'run.unpaused')
      .map((fact, index) => ({ ...fact, sequence: index + 1 }));
    const violations = checkInvariants(withoutEnd, { policy: definePolicy() });
    expect(violations.map(({ name, message }) => [name, message])).toEqual([
      ['pause-held', 'run/plan/planner.1#2 is called while the run is paused'],
      ['pause-held', 'a starts while the run is paused'],
    ]);
  });

  it('waits-in-time: a call or a question outlasts its own deadline', () => {
    expect(broken(journal, { ...held, time: { stepTimeoutMs: 400 } })).toEqual(['waits-in-time']);
    const impatient = { ...held, approval: { agents: ['architect'], timeoutMs: 900 } };
    expect(broken(journal, impatient)).toEqual(['waits-in-time']);
    const policy = definePolicy(impatient);
    expect(checkInvariants(journal, { policy, downtimeMs: 100 })).toEqual([]);
  });

  it('ends-in-time: the end is late, although a process was there', () => {
    const hasty: PolicyOverrides = {
      ...held,
      time: { stepTimeoutMs: 1_000, limitMs: 1_500, graceMs: 0 },
    };
    expect(broken(journal, hasty)).toEqual(['ends-in-time']);
    const policy = definePolicy(hasty);
    expect(checkInvariants(journal, { policy, downtimeMs: 60_000 })).toEqual([]);
  });
});

/** The same entry with another output, in the answer and in the fact. */
const replaceText = (entry: JournalEntry, text: string): JournalEntry =>
  JSON.parse(
    JSON.stringify(entry).replaceAll('"text":"worker"', `"text":"${text}"`),
  ) as JournalEntry;

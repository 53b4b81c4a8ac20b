import { beforeAll, describe, expect, it } from 'vitest';

import { blocked, needsContext } from '../../../src/agents/report.js';
import type { Fact } from '../../../src/model/facts.js';
import { definePolicy } from '../../../src/policy/policy.js';
import type { PolicyOverrides } from '../../../src/model/policy.js';
import { workerBy } from '../../scenarios/by-step.js';
import { checkInvariants } from '../../../src/testing/invariants/check-invariants.js';
import { play } from '../../scenarios/harness.js';
import { plannerInTurn } from '../../scenarios/planners.js';
import { scriptedAgent } from '../../scenarios/scripted.js';
import { steps } from '../../scenarios/team.js';

/* A checker that finds nothing proves nothing: every bug planted here must be found by the invariant meant for it. */

const allowing: PolicyOverrides = {
  limits: { maxReplans: 2, maxParallel: 2, maxDepth: 1, maxAttempts: 2 },
  approval: { agents: ['architect'] },
  retry: { attempts: 2, backoffMs: 0 },
};

/** A run with a failure, a replan, a retry, an approval and a sub-plan. */
const eventfulRun = async (): Promise<readonly Fact[]> => {
  let tries = 0;
  const flaky = (): string => {
    tries += 1;
    if (tries === 1) throw new Error('Not yet');
    return 'At last';
  };
  const { facts } = await play('straight', () => ({
    options: {
      agents: [
        workerBy({
          a: flaky,
          b: needsContext('More', 'half'),
          c: new Error('Broken'),
          hard_rp1: blocked('Too hard'),
        }),
        workerBy({}, 'architect'),
      ],
      planner: plannerInTurn(
        ['a', 'b<a', 'c<a', 'd<c', 'e<b'],
        ['architect:design', 'hard<design', 'last<hard,a'],
        ['part'],
      ),
      policy: definePolicy(allowing),
    },
    onFact: (fact, control) => {
      if (fact.type === 'approval.requested') control.approve(fact.requestId);
    },
  }));
  return facts;
};

let facts: readonly Fact[] = [];

beforeAll(async () => {
  facts = await eventfulRun();
});

/** A changed journal without a trace of the change: its facts are numbered consecutively. */
const renumbered = (run: readonly Fact[]): Fact[] =>
  run.map((fact, index) => ({ ...fact, sequence: index + 1 }));

/** The invariants that a run violates. */
const broken = (run: readonly Fact[], overrides: PolicyOverrides = allowing): number[] => [
  ...new Set(
    checkInvariants(renumbered(run), { policy: definePolicy(overrides) }).map(
      ({ invariant }) => invariant,
    ),
  ),
];

const withLimits = (limits: PolicyOverrides['limits']): PolicyOverrides => ({
  ...allowing,
  limits: { ...allowing.limits, ...limits },
});

const indexOf = (isIt: (fact: Fact) => boolean): number => {
  const index = facts.findIndex(isIt);
  expect(index).toBeGreaterThanOrEqual(0);
  return index;
};

const isAbout =
  (type: Fact['type'], stepId: string) =>
  (fact: Fact): boolean =>
    fact.type === type && 'stepId' in fact && fact.stepId === stepId;

const without = (isIt: (fact: Fact) => boolean): Fact[] => facts.toSpliced(indexOf(isIt), 1);

const twice = (isIt: (fact: Fact) => boolean): Fact[] => {
  const index = indexOf(isIt);
  return facts.toSpliced(index, 0, facts[index]!);
};

const moved = (isIt: (fact: Fact) => boolean, before: (fact: Fact) => boolean): Fact[] => {
  const from = indexOf(isIt);
  const fact = { ...facts[from]!, at: facts[indexOf(before)]!.at };
  return facts.toSpliced(from, 1).toSpliced(indexOf(before), 0, fact);
};

const changed = <Type extends Fact['type']>(
  type: Type,
  change: (fact: Fact<Type>) => Partial<Fact<Type>>,
): Fact[] =>
  facts.map((fact) => (fact.type === type ? { ...fact, ...change(fact as Fact<Type>) } : fact));

describe('checkInvariants', () => {
  it('finds nothing in a valid run', () => {
    const types = new Set(facts.map((fact) => fact.type));
    for (const type of [
      'step.failed',
      'replan.started',
      'subplan.started',
      'step.retried',
    ] as const)
      expect(types).toContain(type);
    expect(broken(facts)).toEqual([]);
  });

  it('finds a step that settles twice, or never, or after it was replaced', () => {
    expect(broken(twice(isAbout('step.completed', 'a')))).toEqual([1]);
    expect(broken(without(isAbout('step.skipped', 'e')))).toEqual([1]);
    expect(broken(changed('step.skipped', () => ({ reason: 'human' })))).toContain(1);
  });

  it('finds a step that starts before its dependencies', () => {
    const early = moved(isAbout('step.started', 'b'), isAbout('step.completed', 'a'));
    expect(broken(early)).toContain(2);
  });

  it('finds a step that is skipped without a reason, and one that was left waiting', () => {
    const skipped = changed('step.skipped', ({ reason }) =>
      reason === 'replaced' ? { reason: 'dependency' } : {},
    );
    expect(broken(skipped)).toContain(2);
    const left = facts.map((fact) =>
      isAbout('step.skipped', 'd')(fact) ? { ...fact, type: 'step.cancelled' } : fact,
    );
    expect(broken(left as Fact[])).toContain(2);
  });

  it('finds more steps at once than slots, and two in one slot', () => {
    expect(broken(facts, withLimits({ maxParallel: 1 }))).toEqual([3]);
    expect(broken(changed('step.started', () => ({ slot: 'slot-0' })))).toEqual([3]);
  });

  it('finds an attempt or a try too many', () => {
    expect(broken(facts, withLimits({ maxAttempts: 1 }))).toEqual([4]);
    expect(broken(facts, { ...allowing, retry: { attempts: 1 } })).toEqual([4]);
    expect(broken(changed('step.completed', () => ({ attempts: 9 })))).toEqual([4]);
    expect(broken(twice((fact) => fact.type === 'step.retried'))).toEqual([4]);
  });

  it('finds a replan too many, a revision out of order and a duplicate id', () => {
    expect(broken(facts, withLimits({ maxReplans: 0 }))).toEqual([5]);
    expect(broken(changed('plan.adopted', () => ({ revision: 7 })))).toEqual([5]);
    expect(broken(twice((fact) => fact.type === 'plan.adopted'))).toContain(5);
    const dangling = changed('plan.adopted', ({ steps }) => ({
      steps: steps.map((step) => ({ ...step, dependsOn: [...step.dependsOn, 'ghost'] })),
    }));
    expect(broken(dangling)).toContain(5);
  });

  it('finds a replan beyond what the first plan allows, and a wrong bound', () => {
    const boundedTo = (medium: number): PolicyOverrides => ({
      ...allowing,
      replan: { maxByComplexity: { simple: 2, medium, complex: 2 } },
    });
    expect(broken(facts, boundedTo(0))).toEqual([5]);
    // One replan is within one; but the run said that it may have two.
    expect(broken(facts, boundedTo(1))).toEqual([5]);
    const said = changed('replan.started', () => ({ maxReplans: 1 }));
    expect(broken(said, boundedTo(1))).toEqual([]);
    expect(broken(said)).toEqual([5]);
  });

  it('finds a sub-plan that is too deep', () => {
    expect(broken(facts, withLimits({ maxDepth: 0 }))).toEqual([6]);
  });

  it('finds an answer without a call, a second answer and a second call', () => {
    const isCallOfB = (fact: Fact): boolean =>
      fact.type === 'agent.called' && fact.key === 'run/b/1/worker';
    expect(broken(without(isCallOfB))).toEqual([8]);
    expect(broken(twice(isCallOfB))).toContain(8);
    expect(broken(twice((fact) => fact.type === 'agent.answered'))).toEqual([8]);
    expect(broken(twice((fact) => fact.type === 'agent.failed'))).toEqual([8]);
  });

  it('finds a lost output', () => {
    const lost = changed('agent.answered', ({ key }) =>
      key === 'run/b/1/worker' ? { output: null } : {},
    );
    expect(broken(lost)).toEqual([9]);
  });

  it('finds work without approval, and work after a rejection', () => {
    const isGrant = (fact: Fact): boolean => fact.type === 'approval.granted';
    expect(broken(without(isGrant))).toEqual([10]);
    const rejected = facts.map((fact) =>
      isGrant(fact) ? { ...fact, type: 'approval.rejected', reason: 'No' } : fact,
    );
    expect(broken(rejected as Fact[])).toEqual([10]);
    expect(broken(twice(isGrant))).toEqual([10]);
    const asking = { ...allowing, approval: { agents: ['architect', 'worker'] } };
    expect(broken(facts, asking)).toEqual([10]);
    // A rejection at the very end, and the summarizer is still called.
    const [asked] = facts.filter(({ type }) => type === 'approval.requested');
    const [granted] = facts.filter(isGrant);
    const [called] = facts.filter(({ type }) => type === 'agent.called');
    const late = { requestId: 'last_rp1:1.1', stepId: 'last_rp1', reason: 'No' };
    const told = [
      { ...asked, ...late },
      { ...granted, ...late, type: 'approval.rejected' },
      { ...called, key: 'run/plan/summarizer', stepId: null },
    ];
    const ended = [...facts.slice(0, -1), ...told, ...facts.slice(-1)] as Fact[];
    const ending = { ...allowing, approval: { agents: ['architect'], onReject: 'fail' } } as const;
    expect(broken(ended)).not.toContain(10);
    expect(broken(ended, ending)).toContain(10);
  });

  it('finds calls and steps beyond bounds(), and a late end', () => {
    expect(broken(facts, withLimits({ maxAgentCalls: 3 }))).toEqual([11]);
    const late = changed('run.ended', () => ({ at: 3_600_000 + 5_001 }));
    expect(broken(late)).toEqual([19]);
    const policy = definePolicy(allowing);
    const bounds = {
      plannerCalls: 1,
      agentCalls: 1,
      replans: 0,
      steps: 1,
      depth: 0,
      approvals: 0,
      wallTimeMs: 1,
    };
    const found = checkInvariants(facts, { policy, bounds });
    expect(found.map(({ invariant }) => invariant)).toEqual([11, 11, 11, 11, 11]);
  });

  it('finds an end that contradicts the facts', () => {
    const unanswered = without(
      (fact) => fact.type === 'plan.adopted' && fact.parentStepId === null && fact.revision === 1,
    );
    expect(broken(unanswered)).toContain(12);
    const answeredByNothing = changed('plan.adopted', ({ parentStepId, revision }) =>
      parentStepId === null && revision === 1 ? { steps: [] } : {},
    );
    expect(broken(answeredByNothing)).toContain(12);
    expect(broken(changed('run.ended', () => ({ status: 'failed' as const, reason: '' })))).toEqual(
      [12],
    );
    expect(broken(changed('run.ended', () => ({ reason: 'steps-failed' })))).toEqual([12]);
    expect(broken(changed('run.ended', () => ({ reason: 'steps-left' })))).toEqual([12]);
  });

  it('finds facts after the end, work that never began, and time that runs backwards', () => {
    expect(broken([...facts, facts[3]!])).toContain(15);
    expect(broken(facts.slice(0, -1))).toContain(15);
    expect(broken(without(isAbout('step.started', 'c')))).toContain(15);
    expect(broken(changed('run.started', () => ({ at: 1 })))).toContain(15);
  });

  it('finds a call of an agent outside the team', () => {
    expect(broken(changed('run.started', () => ({ agents: ['worker'] })))).toEqual([16]);
  });
});

describe('checkInvariants on votes', () => {
  let voted: readonly Fact[] = [];

  /** No majority at first, then one: x y z, then x y y. */
  beforeAll(async () => {
    const votes = { count: 3, choose: 'majority' } as const;
    const result = await play('straight', () => ({
      options: {
        agents: [scriptedAgent('worker', 'x', 'y', 'z', 'x', 'y', 'y')],
        policy: definePolicy(voting),
      },
      start: { plan: { steps: steps('a').map((step) => ({ ...step, votes })) } },
    }));
    voted = result.facts;
  });

  const voting: PolicyOverrides = { limits: { maxVotes: 3, maxAttempts: 2 } };

  const changedVotes = <Type extends 'vote.cast' | 'vote.decided' | 'step.completed'>(
    type: Type,
    change: (fact: Fact<Type>) => Partial<Fact<Type>>,
  ): Fact[] =>
    voted.map((fact) => (fact.type === type ? { ...fact, ...change(fact as Fact<Type>) } : fact));

  it('finds nothing in valid votes', () => {
    expect(voted.filter((fact) => fact.type === 'vote.decided')).toHaveLength(2);
    expect(broken(voted, voting)).toEqual([]);
  });

  it('finds a vote too many, out of order, or miscounted', () => {
    expect(broken(voted, { limits: { maxVotes: 2, maxAttempts: 2 } })).toEqual([4]);
    expect(
      broken(
        changedVotes('vote.cast', () => ({ number: 1 })),
        voting,
      ),
    ).toContain(4);
    expect(
      broken(
        changedVotes('vote.cast', () => ({ of: 2 })),
        voting,
      ),
    ).toContain(4);
    expect(
      broken(
        changedVotes('vote.decided', () => ({ cast: 2 })),
        voting,
      ),
    ).toEqual([4]);
    const emptied = changedVotes('vote.decided', ({ counts }) => ({
      counts: counts.map(({ digest }) => ({ digest, votes: 9 })),
    }));
    expect(broken(emptied, voting)).toEqual([4]);
  });

  it('finds a vote that is not an answer', () => {
    const foreign = changedVotes('vote.cast', ({ number }) => ({ key: `elsewhere ${number}` }));
    expect(broken(foreign, voting)).toContain(8);
  });

  it('finds a winner without a vote, and a step that takes another output', () => {
    const winning = (winner: number | null) =>
      changedVotes('vote.decided', (fact) => (fact.winner === null ? {} : { winner }));
    for (const winner of [1, 3, 4, null]) expect(broken(winning(winner), voting)).toContain(9);
    const swapped = changedVotes('vote.cast', ({ key }) => ({ digest: key }));
    expect(broken(swapped, voting)).toContain(9);
    const other = changedVotes('step.completed', () => ({ outputKeys: ['run/a/2/worker'] }));
    expect(broken(other, voting)).toEqual([9]);
  });

  it('finds a vote after the decision, and a second decision', () => {
    const index = voted.findLastIndex((fact) => fact.type === 'vote.decided');
    expect(broken(voted.toSpliced(index, 0, voted[index]!), voting)).toEqual([15]);
    const cast = voted.findLastIndex((fact) => fact.type === 'vote.cast');
    const late = voted.toSpliced(index + 1, 0, voted[cast]!);
    expect(broken(late, voting)).toContain(15);
  });
});

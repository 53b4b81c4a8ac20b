import { describe, expect, expectTypeOf, it } from 'vitest';

import { PolicyError } from '../../src/errors.js';
import { issuesIn } from '../../src/policy/options.js';
import { defaultPolicy, definePolicy, type Policy } from '../../src/policy/policy.js';
import { presets } from '../../src/policy/presets.js';
import { policySchema } from '../../src/policy/schema.js';
import { untyped } from './catch-policy-error.js';
import { isDeeplyFrozen } from './is-deeply-frozen.js';

const byName = Object.entries(presets);

describe('presets', () => {
  it('are the six of the seeds', () => {
    expect(Object.keys(presets)).toEqual([
      'collaborative',
      'boundedReplan',
      'dynamic',
      'fixed',
      'planAndExecute',
      'supervised',
    ]);
  });

  it.each(byName)('%s is valid, complete and deeply frozen', (_, preset) => {
    const policy = preset();
    expect(issuesIn(policySchema, policy)).toEqual([]);
    expect(isDeeplyFrozen(policy)).toBe(true);
    expect(definePolicy(policy)).toStrictEqual(policy);
  });

  it.each(byName)('%s accepts every override', (_, preset) => {
    const overrides = definePolicy({
      limits: { maxReplans: 7, maxParallel: 9, maxDepth: 1, maxAttempts: 2, maxCostUsd: 0.5 },
      replan: { merge: 'append', coalesce: 'first', onLimit: 'askHuman' },
      approval: { agents: ['coder'], onReject: 'skip', confidenceBelow: 0.1 },
      breaker: null,
    });
    expect(preset(overrides)).toEqual(overrides);
  });

  it.each(byName)('%s keeps its own value where an override is undefined', (_, preset) => {
    const overrides = { limits: { maxReplans: undefined }, breaker: undefined, gates: undefined };
    expect(preset(overrides)).toEqual(preset());
  });

  it.each(byName)('%s refuses invalid overrides', (_, preset) => {
    expect(() => preset({ limits: { maxReplans: -1 } })).toThrow(PolicyError);
    expect(() => preset(untyped({ limits: { maxReplan: 1 } }))).toThrow(
      'Did you mean `limits.maxReplans`?',
    );
    expect(() => preset(untyped(null))).toThrow(PolicyError);
  });

  it.each(byName)('%s bounds every loop with a finite number', (_, preset) => {
    const { maxReplans, maxDepth, maxAttempts, maxFixCycles, maxVotes, maxParallel, maxSteps } =
      preset().limits;
    const work = [maxReplans, maxDepth, maxAttempts, maxFixCycles, maxVotes];
    for (const limit of [...work, maxParallel, maxSteps]) {
      expect(Number.isSafeInteger(limit)).toBe(true);
    }
  });

  it('have no votes, except those of seed 002', () => {
    const voting = byName.filter(([, preset]) => preset().limits.maxVotes > 1);
    expect(voting.map(([name]) => name)).toEqual(['dynamic', 'fixed']);
  });

  it('cannot be replaced by another module', () => {
    expect(Object.isFrozen(presets)).toBe(true);
  });
});

describe('collaborative', () => {
  it('runs each request next, one step at a time, with enough replans for the cycles of seed 000', () => {
    const { limits, replan, failure, retry } = presets.collaborative();
    expect(replan.merge).toBe('appendNext');
    expect(limits).toMatchObject({ maxParallel: 1, maxDepth: 0, maxAttempts: 1 });
    expect(limits.maxReplans).toBeGreaterThanOrEqual(4);
    expect(failure.onStepFailure).toBe('continue');
    expect(retry.attempts).toBe(1);
  });
});

describe('boundedReplan', () => {
  it('has the numbers of seed 001', () => {
    const { limits, time, replan, failure, retry, context } = presets.boundedReplan();
    expect(limits).toMatchObject({ maxReplans: 2, maxParallel: 5, maxSteps: 10 });
    expect(time.stepTimeoutMs).toBe(60_000);
    expect(replan).toMatchObject({ merge: 'replacePending', onLimit: 'continue' });
    expect(failure).toMatchObject({ onStepFailure: 'continue', onDependencyFailure: 'skip' });
    expect(retry.attempts).toBe(1);
    expect(context.summaryCharacters).toBe(200);
  });
});

describe('dynamic and fixed', () => {
  it('have the profile of seed 002', () => {
    const { limits, failure, approval, context } = presets.dynamic();
    expect(limits).toMatchObject({ maxReplans: 3, maxParallel: 1, maxVotes: 3 });
    expect(failure.onStepFailure).toBe('replan');
    expect(approval).toMatchObject({
      agents: [],
      confidenceBelow: 0.7,
      autoApproveTrivial: true,
      maxQuestions: 5,
      onTimeout: 'reject',
      onReject: 'replan',
    });
    expect(context.maxOutputTokens).toBe(2_000);
  });

  it('differ only in the replans, the call budget and the effect of a rejection', () => {
    const dynamic = presets.dynamic();
    expect(presets.fixed()).toEqual({
      ...dynamic,
      limits: { ...dynamic.limits, maxReplans: 0, maxAgentCalls: 150 },
      approval: { ...dynamic.approval, onReject: 'fail' },
    });
  });

  it('name no agent by themselves, so that they fit every team', () => {
    const policy: Policy<'coder' | 'reviewer'> = presets.dynamic();
    expect(policy.approval.agents).toEqual([]);
    expect(presets.fixed().approval.agents).toEqual([]);
  });
});

describe('planAndExecute', () => {
  it('never replans, survives failures and protects its agents, as in seed 003', () => {
    const { limits, failure, approval, retry, breaker } = presets.planAndExecute();
    expect(limits).toMatchObject({ maxReplans: 0, maxParallel: 1 });
    expect(failure).toEqual({
      onStepFailure: 'continue',
      onDependencyFailure: 'skip',
      onPlannerFailure: 'interrupt',
    });
    expect(approval.onReject).toBe('skip');
    expect(breaker?.failures).toBeGreaterThan(retry.attempts);
  });

  it('accepts one option of the breaker, or none', () => {
    const { breaker } = presets.planAndExecute();
    expect(presets.planAndExecute({ breaker: { failures: 2 } }).breaker).toEqual({
      ...breaker,
      failures: 2,
    });
    expect(presets.planAndExecute({ breaker: null }).breaker).toBeNull();
  });
});

describe('supervised', () => {
  it('has the gates, limits and ladder of seed 004', () => {
    const { limits, time, failure, gates, escalation, retry } = presets.supervised();
    expect(gates).toEqual({ plan: 70, code: 60, step: 70, goal: 80 });
    expect(limits).toMatchObject({ maxDepth: 3, maxAttempts: 3, maxFixCycles: 3, maxSteps: 15 });
    expect(limits.maxParallel).toBe(1);
    expect(time.stepShare).toBe(true);
    expect(failure.onStepFailure).toBe('continue');
    expect(escalation).toEqual(defaultPolicy.escalation);
    expect(retry).toMatchObject({ attempts: 3, fallback: true });
  });
});

describe('the types of presets', () => {
  it('infer the names of the agents from their use', () => {
    const useFor = (policy: Policy<'coder'>): readonly 'coder'[] => policy.approval.agents;
    expect(useFor(presets.supervised({ limits: { maxReplans: 1 } }))).toEqual([]);
    expect(useFor(presets.supervised({ approval: { agents: ['coder'] } }))).toEqual(['coder']);
    // @ts-expect-error no agent is called 'nobody'
    expect(useFor(presets.supervised({ approval: { agents: ['nobody'] } }))).toEqual(['nobody']);
    expectTypeOf(presets.fixed()).toEqualTypeOf<Policy<never>>();
  });
});

import { describe, expect, it } from 'vitest';

import { optionPaths } from '../../src/policy/options.js';
import { definePolicy } from '../../src/policy/policy.js';
import { policySchema } from '../../src/policy/schema.js';
import { at, issuesOf, nest, untyped } from './catch-policy-error.js';

interface Row {
  readonly accepted: readonly unknown[];
  readonly refused: readonly unknown[];
}

const maxSafe = Number.MAX_SAFE_INTEGER;
const neverANumber = [NaN, Infinity, -Infinity, -1, 2 ** 60, '3', true, 3n, [], {}, () => 3];

function integerRow(minimum: number, maximum = maxSafe): Row {
  return {
    accepted: [minimum, minimum + 1, maximum],
    refused: [...neverANumber, minimum - 1, minimum + 0.5, maximum + 1, null],
  };
}

function numberRow(minimum: number, maximum: number): Row {
  return {
    accepted: [minimum, (minimum + maximum) / 2, maximum],
    refused: [...neverANumber, minimum - 0.001, maximum + 0.001, null],
  };
}

function orNull({ accepted, refused }: Row): Row {
  return { accepted: [...accepted, null], refused: refused.filter((value) => value !== null) };
}

function choiceRow(...words: readonly string[]): Row {
  return { accepted: words, refused: ['', 'Replan', 'other', 0, true, null, ['replan'], {}] };
}

const toggleRow: Row = { accepted: [true, false], refused: ['true', 0, 1, null, NaN, {}, []] };
const scoreRow = orNull(numberRow(0, 100));

const rows: Readonly<Record<string, Row>> = {
  'limits.maxReplans': integerRow(0),
  'limits.maxDepth': integerRow(0, 8),
  'limits.maxAttempts': integerRow(1),
  'limits.maxFixCycles': integerRow(0),
  'limits.maxParallel': integerRow(1, 1_000),
  'limits.maxSteps': integerRow(1, 1_000_000),
  'limits.maxVotes': integerRow(1, 9),
  'limits.maxRecoveries': integerRow(0, 1_000_000),
  'limits.maxFailures': orNull(integerRow(0)),
  'limits.maxAgentCalls': orNull(integerRow(1)),
  'limits.maxTokens': orNull(integerRow(1)),
  'limits.maxCostUsd': {
    accepted: [0.000_001, 1.5, 100, null],
    refused: [...neverANumber, 0, maxSafe + 1],
  },
  'limits.maxOutputBytes': integerRow(1_024),
  'time.limitMs': integerRow(1),
  // The phases must leave time for the steps, so their upper end is not maxSafe here.
  'time.planningMs': { ...orNull(integerRow(1)), accepted: [1, 3_000_000, null] },
  'time.verificationMs': { ...orNull(integerRow(1)), accepted: [1, 3_000_000, null] },
  'time.stepTimeoutMs': orNull(integerRow(1)),
  'time.stepShare': toggleRow,
  'time.graceMs': integerRow(0),
  // Bounded by `limits.maxReplans`, which is 3.
  'replan.maxByComplexity.simple': { ...integerRow(0), accepted: [0, 1, 3] },
  'replan.maxByComplexity.medium': { ...integerRow(0), accepted: [0, 1, 3] },
  'replan.maxByComplexity.complex': { ...integerRow(0), accepted: [0, 1, 3] },
  'replan.merge': choiceRow('replacePending', 'append', 'appendNext', 'replaceAll'),
  'replan.coalesce': choiceRow('batch', 'first', 'highestConfidence'),
  'replan.onLimit': choiceRow('continue', 'finish', 'fail', 'askHuman'),
  'replan.stopOnRepeatedPlan': toggleRow,
  'failure.onStepFailure': choiceRow('replan', 'continue', 'stop'),
  'failure.onDependencyFailure': choiceRow('skip', 'run', 'stop'),
  'failure.onPlannerFailure': choiceRow('end', 'interrupt'),
  'approval.plan': toggleRow,
  'approval.agents': {
    accepted: [[], ['coder'], ['coder', 'reviewer'], Array(1_000).fill('coder')],
    refused: [null, 'coder', {}, 3, Array(1_001).fill('coder'), new Array(4_000_000_000)],
  },
  'approval.confidenceBelow': orNull(numberRow(0, 1)),
  'approval.autoApproveTrivial': toggleRow,
  'approval.timeoutMs': integerRow(1),
  'approval.maxQuestions': integerRow(0, 100),
  'approval.onTimeout': choiceRow('reject', 'approve'),
  'approval.onReject': choiceRow('replan', 'skip', 'fail'),
  'gates.plan': scoreRow,
  'gates.code': scoreRow,
  'gates.step': scoreRow,
  'gates.goal': scoreRow,
  // Bounded by their neighbours: 70 > 50 > 30 and 2 < 3 < 4 < 5.
  'escalation.scores.remind': { ...numberRow(0, 100), accepted: [50.5, 100] },
  'escalation.scores.correct': { ...numberRow(0, 100), accepted: [30.5, 69] },
  'escalation.scores.refocus': { ...numberRow(0, 100), accepted: [0, 49.5] },
  'escalation.issues.correct': { ...integerRow(1), accepted: [1, 2] },
  'escalation.issues.refocus': { ...integerRow(1), accepted: [3] },
  'escalation.issues.critical': { ...integerRow(1), accepted: [4] },
  'escalation.issues.abort': { ...integerRow(1), accepted: [5, maxSafe] },
  'retry.attempts': integerRow(1, 10),
  'retry.backoffMs': integerRow(0),
  'retry.maxBackoffMs': integerRow(0),
  'retry.fallback': toggleRow,
  'breaker.failures': integerRow(1),
  'breaker.resetMs': integerRow(1),
  'context.maxMessages': integerRow(1),
  'context.maxOutputTokens': integerRow(1),
  'context.summaryCharacters': integerRow(1),
};

/** Options that are off by default, so that one of their fields alone is incomplete. */
const sectionsThatAreOff: Readonly<Record<string, object>> = {
  'breaker.': { failures: 5, resetMs: 1_000 },
  'replan.maxByComplexity.': { simple: 0, medium: 1, complex: 2 },
};

function sectionThatIsOff(path: string): string | undefined {
  return Object.keys(sectionsThatAreOff).find((section) => path.startsWith(section));
}

function overridesFor(path: string, value: unknown): unknown {
  const section = sectionThatIsOff(path);
  if (section === undefined) return nest(path, value);
  const name = path.slice(section.length);
  return nest(section.slice(0, -1), { ...sectionsThatAreOff[section], [name]: value });
}

describe('options of a policy', () => {
  it('each have a row in this table', () => {
    expect(Object.keys(rows)).toEqual(optionPaths(policySchema));
  });

  it.each(Object.entries(rows))('%s accepts every valid value', (path, { accepted }) => {
    for (const value of accepted) {
      const policy = definePolicy(untyped(overridesFor(path, value)));
      expect(at(policy, path)).toEqual(value);
    }
  });

  it.each(Object.entries(rows))(
    '%s refuses every other value with its name and one issue',
    (path, { refused }) => {
      for (const value of refused) {
        const issues = issuesOf(overridesFor(path, value));
        expect(issues, `${path} = ${typeof value}`).toHaveLength(1);
        expect(issues[0]).toMatchObject({ code: 'invalid-option', path });
        expect(issues[0]?.message).toMatch(new RegExp(`^Expected \`${path}\` to be .+, got .+$`));
      }
    },
  );

  it.each(Object.keys(rows))('%s keeps its default when it is undefined', (path) => {
    const section = sectionThatIsOff(path);
    const overrides =
      section === undefined ? nest(path, undefined) : nest(section.slice(0, -1), null);
    const defaults = definePolicy(untyped(overrides));
    expect(defaults).toEqual(definePolicy());
  });
});

describe('the message of a refused option', () => {
  it.each([
    [NaN, '`NaN` (number)'],
    [-1, '`-1` (number)'],
    [1.5, '`1.5` (number)'],
    [Infinity, '`Infinity` (number)'],
    ['3', "`'3'` (string)"],
    [3n, '`3` (bigint)'],
    [true, '`true` (boolean)'],
    [Symbol('three'), '`Symbol(three)` (symbol)'],
    [null, 'null'],
    [[3], 'an array'],
    [{ three: 3 }, 'an object'],
    [() => 3, 'a function'],
  ])('has the expectation, the value and its type: %o', (value, shown) => {
    expect(issuesOf({ limits: { maxReplans: value } })[0]?.message).toBe(
      `Expected \`limits.maxReplans\` to be a safe integer of at least 0, got ${shown}`,
    );
  });

  it('names both ends of a range, the words of a choice and the meaning of null', () => {
    const messages = issuesOf({
      limits: { maxDepth: 9 },
      replan: { merge: 'replace' },
      gates: { plan: 101 },
    }).map(({ message }) => message);
    expect(messages).toEqual([
      'Expected `limits.maxDepth` to be an integer from 0 to 8, got `9` (number)',
      "Expected `replan.merge` to be one of 'replacePending', 'append', 'appendNext', 'replaceAll', got `'replace'` (string)",
      'Expected `gates.plan` to be a number from 0 to 100 or null, got `101` (number)',
    ]);
  });

  it('names both bounds when one must lie within the other', () => {
    const maxByComplexity = { simple: 1, medium: 3, complex: 9 };
    expect(issuesOf({ limits: { maxReplans: 2 }, replan: { maxByComplexity } })).toEqual([
      {
        code: 'conflicting-options',
        path: 'replan.maxByComplexity.medium',
        message:
          'Expected `replan.maxByComplexity.medium` to be at most `limits.maxReplans`, which is 2, got 3',
      },
      {
        code: 'conflicting-options',
        path: 'replan.maxByComplexity.complex',
        message:
          'Expected `replan.maxByComplexity.complex` to be at most `limits.maxReplans`, which is 2, got 9',
      },
    ]);
    expect(issuesOf({ replan: { maxByComplexity: { simple: 1, complex: 1 } } })).toMatchObject([
      { code: 'invalid-option', path: 'replan.maxByComplexity.medium' },
    ]);
  });

  it('shows only the beginning of a long value', () => {
    const message = issuesOf({ replan: { merge: 'x'.repeat(1_000_000) } })[0]?.message;
    expect(message?.length).toBeLessThan(300);
  });

  it('names the position in a list', () => {
    const issues = issuesOf({ approval: { agents: ['coder', '', 3, undefined, {}] } });
    expect(issues.map(({ path }) => path)).toEqual([
      'approval.agents[1]',
      'approval.agents[2]',
      'approval.agents[3]',
      'approval.agents[4]',
    ]);
    expect(issues[1]?.message).toBe(
      'Expected `approval.agents[2]` to be the name of an agent, got `3` (number)',
    );
  });
});

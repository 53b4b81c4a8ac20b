import { describe, expect, it } from 'vitest';

import { ActivityLog } from '../../examples/supervised-run/view/activity.js';
import type { FrameInput } from '../../examples/supervised-run/view/frame.js';
import { frame } from '../../examples/supervised-run/view/frame.js';
import { createStyle } from '../../examples/supervised-run/view/style.js';
import { widthOf } from '../../examples/supervised-run/view/text.js';
import type { Fact } from '../../src/index.js';
import { adopted, everyFact, factsOf, recordOfFacts } from '../journal/fact-factory.js';
import { recordedFacts } from './recorded-run.js';

const plain = createStyle({ hasColor: false, hasUnicode: true });
const colored = createStyle({ hasColor: true, hasUnicode: true });
const ascii = createStyle({ hasColor: false, hasUnicode: false });

const frameOf = (facts: readonly Fact[], given: Partial<FrameInput> = {}): string[] => {
  const activity = new ActivityLog();
  for (const one of facts) activity.add(one);
  return frame({
    record: recordOfFacts(facts),
    activity,
    bounds: { replans: 2, agentCalls: 80, tokens: 1_000_000, limitMs: 600_000 },
    model: 'scripted model',
    notice: 'Ctrl-C ends the run',
    now: (facts.at(-1)?.at ?? 0) + 400,
    tick: 3,
    columns: 119,
    rows: 30,
    style: plain,
    ...given,
  });
};

const recorded = recordedFacts();

/** The facts up to and including the first that matches. */
const until = (fits: (one: Fact) => boolean): Fact[] =>
  recorded.slice(0, recorded.findIndex(fits) + 1);

const isFixing = (one: Fact): boolean =>
  one.type === 'agent.called' && one.message === 'CODE_FIX_REQUEST';
const isOnSecondPlan = (one: Fact): boolean =>
  one.type === 'agent.called' && one.role === 'tester' && one.stepId === 'fix-discount_rp1';

describe('a frame', () => {
  it('shows plan, work, bounds and log on a wide terminal', () => {
    expect(`${frameOf(until(isOnSecondPlan)).join('\n')}\n`).toMatchSnapshot();
  });

  it('shows them on a terminal of 80 columns', () => {
    const lines = frameOf(until(isFixing), { columns: 79, rows: 24 });
    expect(`${lines.join('\n')}\n`).toMatchSnapshot();
  });

  it('shows them on a narrow terminal', () => {
    const lines = frameOf(until(isOnSecondPlan), { columns: 43, rows: 24 });
    expect(`${lines.join('\n')}\n`).toMatchSnapshot();
  });

  it('omits decoration on a low terminal', () => {
    const lines = frameOf(until(isOnSecondPlan), { columns: 79, rows: 11 });
    expect(`${lines.join('\n')}\n`).toMatchSnapshot();
  });

  it('omits signs that a terminal may not have', () => {
    const lines = frameOf(until(isOnSecondPlan), { columns: 79, rows: 24, style: ascii });
    expect(lines.join('')).toMatch(/^[\x20-\x7E]*$/);
    expect(`${lines.join('\n')}\n`).toMatchSnapshot();
  });

  it('shows the end of a run', () => {
    const lines = frameOf(recorded);
    expect(lines).toContain(' ✔ completed: goal-achieved');
    expect(lines.join('\n')).toContain('5 of 5 steps done');
  });

  it('has the same words with colours and without', () => {
    for (const columns of [119, 79, 43]) {
      for (const facts of [until(isFixing), until(isOnSecondPlan), recorded]) {
        const painted = frameOf(facts, { columns, style: colored });
        expect(painted.join('')).toContain('\u001B[');
        expect(painted.map(withoutCodes)).toEqual(frameOf(facts, { columns }));
      }
    }
  });

  it('is never larger than the terminal, at any moment of a run', () => {
    for (let count = 0; count <= recorded.length; count += 1) {
      const facts = recorded.slice(0, count);
      for (const [columns, rows] of SIZES) {
        const lines = frameOf(facts, { columns, rows });
        expect(lines.length).toBeLessThanOrEqual(rows);
        for (const line of lines) expect(widthOf(line), line).toBeLessThanOrEqual(columns);
      }
    }
  });

  it('always shows the running step, on the lowest terminal too', () => {
    for (const [columns, rows] of SIZES.filter(([, height]) => height >= 8)) {
      const lines = frameOf(until(isOnSecondPlan), { columns, rows });
      expect(lines.filter((line) => line.startsWith(' ▶ fix-discount'))).toHaveLength(1);
    }
  });

  it('renders every fact, and tolerates malformed facts', () => {
    for (const parts of everyFact) {
      const lines = frameOf(factsOf(parts, ...everyFact, parts));
      expect(lines.length).toBeGreaterThan(5);
      expect(lines.join('\n')).not.toMatch(/undefined|NaN|null|\[object/);
    }
  });

  it('removes control sequences from every text', () => {
    const hostile = 'a\u001B[2J\u001B]0;title\u0007b\r\nc\u202Ed\u0000e\u009Bf\u2028g\u2066h\tz';
    const facts = factsOf(
      { type: 'run.started', goal: hostile },
      adopted([{ id: hostile, agent: hostile, task: hostile }]),
      { type: 'step.started', stepId: hostile, agent: hostile },
      { type: 'agent.called', agent: hostile, stepId: hostile },
      { type: 'step.failed', stepId: hostile, reason: hostile },
      { type: 'replan.requested', agent: hostile, reason: hostile },
      { type: 'agent.failed', agent: hostile, reason: hostile },
      { type: 'verdict.given', issues: [hostile], feedback: hostile },
      { type: 'run.ended', reason: hostile },
    );
    for (let count = 1; count <= facts.length; count += 1) {
      const lines = frameOf(facts.slice(0, count), { columns: 200, rows: 60 });
      expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(lines.join('')).toContain('a\\u{1b}[2J\\u{1b}]0;title\\u{7}b c\\u{202e}d\\u{0}e');
    }
  });
});

const SIZES = [
  [160, 50],
  [119, 30],
  [79, 24],
  [43, 24],
  [40, 8],
  [60, 3],
  [39, 1],
] as const;

const withoutCodes = (line: string): string => line.replace(/\u001B\[\d+m/g, '').trimEnd();

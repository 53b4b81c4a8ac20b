import { describe, expect, it } from 'vitest';

import { reportLines } from '../../examples/supervised-run/report.js';
import type { ReportInput } from '../../examples/supervised-run/report.js';
import { ActivityLog } from '../../examples/supervised-run/view/activity.js';
import { createStyle } from '../../examples/supervised-run/view/style.js';
import { widthOf } from '../../examples/supervised-run/view/text.js';
import type { Fact } from '../../src/index.js';
import { isEnded, reportOf } from '../../src/journal/report.js';
import { factsOf, recordOfFacts } from '../journal/fact-factory.js';
import { recordedFacts } from './recorded-run.js';

const style = createStyle({ hasColor: false, hasUnicode: true });

const inputOf = (facts: readonly Fact[]): ReportInput => {
  const record = recordOfFacts(facts);
  if (!isEnded(record)) throw new Error('Expected a run that has ended');
  const activity = new ActivityLog();
  for (const fact of facts) activity.add(fact);
  return {
    report: reportOf(record),
    summary: record.summary,
    activity,
    bounds: { replans: 2, agentCalls: 80, tokens: 1_000_000, limitMs: 600_000 },
    changes: [
      {
        path: 'src/money.js',
        kind: 'changed',
        lines: [
          { sign: '-', text: '  return Math.floor(amount * 100);' },
          { sign: '+', text: '  return Math.round(amount * 100);' },
        ],
      },
      {
        path: 'src/new.js',
        kind: 'added',
        lines: Array.from({ length: 9 }, (_, line) => ({ sign: '+' as const, text: `${line}` })),
      },
    ],
    before: {
      tests: [{ file: 'test/a.test.js', name: 'a', outcome: 'failed', problem: 'wrong' }],
      problem: null,
    },
    after: {
      tests: [{ file: 'test/a.test.js', name: 'a', outcome: 'passed', problem: '' }],
      problem: null,
    },
    folder: null,
    isScripted: true,
    columns: 100,
    style,
  };
};

const report = (facts: readonly Fact[], given: Partial<ReportInput> = {}): string =>
  reportLines({ ...inputOf(facts), ...given }).join('\n');

describe('the report', () => {
  const recorded = recordedFacts();

  it('shows what was done and its cost, and that only the answers were scripted', () => {
    expect(report(recorded)).toMatchSnapshot();
  });

  it('fits a narrow terminal', () => {
    const text = report(recorded, { columns: 44, folder: '/somewhere/that/is/kept' });
    for (const line of text.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(44);
    expect(text).toMatchSnapshot();
  });

  it('mentions no script when a model was called', () => {
    expect(report(recorded, { isScripted: false })).not.toContain('script');
  });

  it('stays valid with little content', () => {
    const facts = factsOf(
      { type: 'run.started', goal: 'Nothing' },
      { type: 'run.ended', status: 'failed', reason: 'planning-failed', summaryKey: null },
    );
    const text = report(facts, { changes: [], after: null, isScripted: false });
    expect(text).toContain(' ✘ failed  planning-failed');
    expect(text).toMatch(/Steps\n +none\n/);
    expect(text).toMatch(/Files changed\n +none\n/);
    expect(text).toMatch(/Tests after +not run\n/);
    expect(text).not.toContain('Summary');
  });

  it('removes control sequences', () => {
    const hostile = 'x\u001B[2Jy\u0007z';
    const input = inputOf(recorded);
    const text = report(recorded, {
      report: { ...input.report, goal: hostile, reason: hostile },
      summary: `${hostile}\n${hostile}`,
      changes: [{ path: hostile, kind: 'added', lines: [{ sign: '+', text: hostile }] }],
    });
    expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/);
    expect(text.match(/x\\u\{1b\}\[2Jy\\u\{7\}z/g)).toHaveLength(6);
  });
});

import { describe, expect, it } from 'vitest';

import { runReportSchema } from './record-schema.js';
import type { RunReport } from '../../src/journal/report.js';
import { isEnded, reportOf } from '../../src/journal/report.js';
import type { FactParts } from './fact-factory.js';
import { adopted, endedRecordOf, proposed, recordOf } from './fact-factory.js';

const begin = { type: 'run.started' } as const;
const end = { type: 'run.ended' } as const;
const reportAfter = (...parts: readonly FactParts[]): RunReport =>
  reportOf(endedRecordOf(begin, ...parts));
const completed = (stepId: string): FactParts => ({ type: 'step.completed', stepId });

describe('isEnded', () => {
  it('distinguishes a run that is over from one that is not', () => {
    expect(isEnded(recordOf(begin))).toBe(false);
    expect(isEnded(recordOf(begin, end))).toBe(true);
  });
});

describe('the report', () => {
  it('sorts the steps by how they ended', () => {
    const report = reportAfter(
      adopted(['s1', 's2', 's3', 's4']),
      completed('s1'),
      { type: 'step.failed', stepId: 's2' },
      { type: 'step.skipped', stepId: 's3', reason: 'dependency' },
      { type: 'step.cancelled', stepId: 's4' },
      { ...end, status: 'failed', reason: 'step-failed' },
    );

    expect(report).toMatchObject({
      runId: 'r1',
      goal: 'Add a login',
      status: 'failed',
      reason: 'step-failed',
      successfulSteps: ['s1'],
      failedSteps: ['s2'],
      skippedSteps: ['s3'],
      cancelledSteps: ['s4'],
      allSucceeded: false,
      startedAt: 0,
      endedAt: 60,
      durationMs: 60,
    });
    expect(report.steps).toHaveLength(4);
    expect(runReportSchema.parse(report)).toEqual(report);
  });

  it('is a success when a person skipped a step or a plan replaced one', () => {
    const report = reportAfter(
      adopted(['s1', 's2', 's3']),
      completed('s1'),
      { type: 'step.skipped', stepId: 's2', reason: 'human' },
      adopted(['s4_rp1'], { revision: 1, replaced: ['s3'] }),
      completed('s4_rp1'),
      end,
    );

    expect(report.allSucceeded).toBe(true);
    expect(report.skippedSteps).toEqual(['s2', 's3']);
  });

  it.each([
    [{ type: 'step.failed' }],
    [{ type: 'step.cancelled' }],
    [{ type: 'step.skipped', reason: 'dependency' }],
  ] as const)('is not a success after %o', (fact) => {
    expect(reportAfter(adopted(['s1']), fact, end).allSucceeded).toBe(false);
  });

  it('of a run without steps depends only on its status', () => {
    const report = reportAfter({ ...end, status: 'failed', reason: 'planning-failed' });

    expect(report).toMatchObject({
      status: 'failed',
      allSucceeded: true,
      originalPlan: null,
      finalPlan: null,
    });
  });

  it('shows the first plan and the last, without replaced steps and without sub-plans', () => {
    const report = reportAfter(
      proposed(['bad']),
      { type: 'plan.rejected' },
      proposed(['s1', 's2']),
      adopted(['s1', 's2']),
      adopted(['s1/a'], { parentStepId: 's1' }),
      completed('s1'),
      { type: 'replan.started', replans: 1 },
      proposed(['s3'], { revision: 1 }),
      adopted(['s3_rp1'], { revision: 1, replaced: ['s2'] }),
      completed('s3_rp1'),
      end,
    );
    const idsOf = (plan: RunReport['finalPlan']): string[] =>
      plan?.steps.map((step) => step.id) ?? [];

    expect(report.originalPlan?.revision).toBe(0);
    expect(idsOf(report.originalPlan)).toEqual(['s1', 's2']);
    expect(report.finalPlan?.revision).toBe(1);
    expect(idsOf(report.finalPlan)).toEqual(['s1', 's3_rp1']);
    expect(report.plans).toHaveLength(4);
    expect(report.replans).toBe(1);
  });

  it('never has a negative duration', () => {
    const record = { ...endedRecordOf(begin, end), startedAt: 900, endedAt: 100 };

    expect(reportOf(record).durationMs).toBe(0);
  });
});

describe('the summary of a report', () => {
  const answer = (key: string, output: string | readonly number[]): FactParts => ({
    type: 'agent.answered',
    key,
    output: typeof output === 'string' ? output : [...output],
  });
  const completedWith = (stepId: string, ...outputKeys: string[]): FactParts => ({
    type: 'step.completed',
    stepId,
    outputKeys,
  });

  it('is the summarizer’s answer', () => {
    const report = reportAfter(adopted(['s1']), answer('k', 'All well'), completedWith('s1', 'k'), {
      ...end,
      summaryKey: 'k',
    });

    expect(report.summary).toBe('All well');
  });

  it('is the output of the only step, verbatim or as JSON', () => {
    const only = (output: string | readonly number[]): string =>
      reportAfter(adopted(['s1']), answer('k', output), completedWith('s1', 'k'), end).summary;

    expect(only('Found\n3 incidents')).toBe('Found\n3 incidents');
    expect(only([1, 2])).toBe('[1,2]');
  });

  it('is the output of the only step also when a sub-plan did it', () => {
    const report = reportAfter(
      adopted(['s1']),
      adopted(['s1/a'], { parentStepId: 's1' }),
      answer('k', 'Done below'),
      completedWith('s1/a', 'k'),
      completedWith('s1', 'k'),
      end,
    );

    expect(report.summary).toBe('Done below');
  });

  it('is otherwise a short text made of the facts', () => {
    const report = reportAfter(
      adopted(['s1', 's2', { id: 's3', agent: 'tester' }]),
      answer('k', 'Two\nlines'),
      completedWith('s1', 'k'),
      completedWith('s2'),
      { type: 'step.failed', stepId: 's3', reason: 'Red' },
      { ...end, status: 'failed', reason: 'step-failed' },
    );

    expect(report.summary).toBe(
      [
        '# Add a login',
        '',
        'Status: failed (step-failed)',
        'Steps: 3 (2 completed, 1 failed)',
        '',
        '- s1 (coder) completed: Two lines',
        '- s2 (coder) completed',
        '- s3 (tester) failed: Red',
      ].join('\n'),
    );
  });

  it('lists every task when there was more than one, also when only one has a result', () => {
    const report = reportAfter(
      adopted(['s1', 's2']),
      answer('k', 'Found it'),
      completedWith('s1', 'k'),
      { type: 'step.skipped', stepId: 's2', reason: 'human' },
      end,
    );

    expect(report.summary.split('\n').slice(-2)).toEqual([
      '- s1 (coder) completed: Found it',
      '- s2 (coder) skipped: human',
    ]);
  });

  it('of a failed run is not the output of one step', () => {
    const report = reportAfter(
      adopted(['s1', 's2']),
      answer('k', 'Half of it'),
      completedWith('s1', 'k'),
      { ...end, status: 'aborted', reason: 'Enough' },
    );

    expect(report.summary).toContain('Status: aborted (Enough)');
    expect(report.summary).toContain('- s1 (coder) completed: Half of it');
  });

  it('shows 20 steps and 200 characters of each, and the number of omitted ones', () => {
    const ids = Array.from({ length: 25 }, (_, index) => `s${index}`);
    const report = reportAfter(
      adopted(ids),
      answer('k', `${'x'.repeat(199)}😀 and so on`),
      ...ids.map((id) => completedWith(id, 'k')),
      end,
    );
    const lines = report.summary.split('\n').filter((line) => line.startsWith('- '));

    expect(lines).toHaveLength(21);
    expect(lines[0]).toBe(`- s0 (coder) completed: ${'x'.repeat(199)}…`);
    expect(lines.at(-1)).toBe('- and 5 more');
  });

  it('mentions that there were no steps', () => {
    const { summary } = reportAfter({ ...end, status: 'failed', reason: 'planning-failed' });

    expect(summary).toBe('# Add a login\n\nStatus: failed (planning-failed)\nSteps: 0');
  });
});

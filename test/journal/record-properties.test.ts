import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';

import type { Fact } from '../../src/model/facts.js';
import type { RunRecord } from '../../src/journal/record.js';
import { createRecordBuilder } from '../../src/journal/record.js';
import { runRecordSchema, runReportSchema } from './record-schema.js';
import type { RunReport } from '../../src/journal/report.js';
import { isEnded, reportOf } from '../../src/journal/report.js';
import { cpuTimeMs } from '../cpu-time.js';
import { anyEndedFacts, anyFacts, anyOpenFacts } from './any-facts.js';
import { adopted, everyFact, factsOf, recordOf, recordOfFacts } from './fact-factory.js';

const settled = new Set(['completed', 'failed', 'skipped', 'cancelled']);

describe('the reduction of facts to a record', () => {
  it('makes a valid record of any facts in any order', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const record = recordOfFacts(facts);
        // '__proto__' is an agent's name here, and no parser keeps a member of that name.
        const agents = Object.fromEntries(
          Object.entries(record.metrics.agents).filter(([agent]) => agent !== '__proto__'),
        );
        const plain = { ...record, metrics: { ...record.metrics, agents } };
        expect(runRecordSchema.parse(plain)).toEqual(plain);
      }),
    );
  });

  it('is the same whether or not the record is read in between', () => {
    fc.assert(
      fc.property(anyFacts, fc.array(fc.nat(60)), (facts, looks) => {
        const builder = createRecordBuilder();
        for (const [index, fact] of facts.entries()) {
          if (looks.includes(index)) builder.record();
          builder.add(fact);
        }
        expect(builder.record()).toEqual(recordOfFacts(facts));
      }),
    );
  });

  it('never changes a record that it returned', () => {
    fc.assert(
      fc.property(anyFacts, fc.nat(60), (facts, cut) => {
        const builder = createRecordBuilder();
        const add = (fact: Fact): void => builder.add(fact);
        facts.slice(0, cut).forEach(add);
        const early = builder.record();
        const copy = structuredClone(early);
        facts.slice(cut).forEach(add);
        expect(early).toEqual(copy);
      }),
    );
  });

  it('never changes the facts', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const copy = structuredClone(facts);
        recordOfFacts(facts);
        expect(facts).toEqual(copy);
      }),
    );
  });

  it('counts what it lists', () => {
    fc.assert(
      fc.property(anyOpenFacts, (facts) => {
        const { steps, metrics, approvals, openApprovals } = recordOfFacts(facts);
        const count = (status: string): number =>
          steps.filter((step) => step.status === status).length;
        expect(metrics.totalSteps).toBe(new Set(steps.map((step) => step.id)).size);
        expect(metrics.completedSteps).toBe(count('completed'));
        expect(metrics.failedSteps).toBe(count('failed'));
        const open = approvals.filter((approval) => approval.outcome === 'open');
        expect(openApprovals.map(({ requestId }) => requestId)).toEqual(
          open.map(({ requestId }) => requestId),
        );
      }),
    );
  });

  it('waits for a person exactly where a question is open', () => {
    fc.assert(
      fc.property(anyOpenFacts, (facts) => {
        const { steps, openApprovals } = recordOfFacts(facts);
        const waiting = steps.filter((step) => step.status === 'awaitingApproval');
        const asking = new Set(openApprovals.flatMap(({ stepId }) => stepId ?? []));
        expect(new Set(waiting.map((step) => step.id))).toEqual(asking);
      }),
    );
  });

  it('never leaves a step open below one that ended', () => {
    fc.assert(
      fc.property(anyOpenFacts, (facts) => {
        const { steps } = recordOfFacts(facts);
        const statusById = new Map(steps.map((step) => [step.id, step.status]));
        for (const { parentStepId, status } of steps) {
          if (parentStepId === null || settled.has(status)) continue;
          expect(settled.has(statusById.get(parentStepId) ?? 'unknown')).toBe(false);
        }
      }),
    );
  });

  it('leaves nothing open when the run has ended, and reports every step once', () => {
    fc.assert(
      fc.property(anyEndedFacts, (facts) => {
        const record = recordOfFacts(facts);
        if (!isEnded(record)) throw new Error('Expected the run to be over');
        const report = reportOf(record);
        expect(runReportSchema.safeParse(report).success).toBe(true);
        const ids = [
          report.successfulSteps,
          report.failedSteps,
          report.skippedSteps,
          report.cancelledSteps,
        ].flat();
        expect(record.openApprovals).toEqual([]);
        expect(ids.toSorted()).toEqual(record.steps.map((step) => step.id).toSorted());
      }),
    );
  });

  it('accepts one of every fact', () => {
    expect(recordOf(...everyFact).status).toBe('completed');
  });

  it('accepts a plan of 100,000 steps', () => {
    const ids = Array.from({ length: 100_000 }, (_, index) => `s${index}`);
    const [plan, start, end] = factsOf(
      adopted(ids),
      { type: 'step.started' },
      { type: 'step.completed' },
    ) as [Fact, Fact<'step.started'>, Fact<'step.completed'>];
    const builder = createRecordBuilder();
    const startedAt = cpuTimeMs();
    builder.add(plan);
    for (const stepId of ids) {
      builder.add({ ...start, stepId });
      builder.add({ ...end, stepId });
    }
    const record = builder.record();

    expect(record.metrics.completedSteps).toBe(100_000);
    // Well under a second on a small machine; a copy of the list for every fact would take minutes.
    expect(cpuTimeMs() - startedAt).toBeLessThan(5_000);
  });

  it('accepts a chain of 20,000 nested sub-plans', () => {
    const builder = createRecordBuilder();
    let parentStepId: string | null = null;
    for (let depth = 0; depth < 20_000; depth += 1) {
      const id = `d${depth}`;
      for (const fact of factsOf(adopted([id], { parentStepId }))) builder.add(fact);
      parentStepId = id;
    }
    const [end] = factsOf({ type: 'step.failed', stepId: 'd0' });
    builder.add(end!);

    expect(builder.record().steps.every((step) => settled.has(step.status))).toBe(true);
  });
});

describe('the schemas of records and reports', () => {
  it('equal the types', () => {
    expectTypeOf<z.infer<typeof runRecordSchema>>().toExtend<RunRecord>();
    expectTypeOf<RunRecord>().toExtend<z.infer<typeof runRecordSchema>>();
    expectTypeOf<z.infer<typeof runReportSchema>>().toExtend<RunReport>();
    expectTypeOf<RunReport>().toExtend<z.infer<typeof runReportSchema>>();
  });

  it('refuse a record without its steps', () => {
    const { steps, ...rest } = recordOf({ type: 'run.started' });

    expect(steps).toEqual([]);
    expect(runRecordSchema.safeParse(rest).success).toBe(false);
    expect(runRecordSchema.safeParse({ ...rest, steps: [{ id: 's1' }] }).success).toBe(false);
  });
});

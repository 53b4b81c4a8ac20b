import { describe, expect, it } from 'vitest';

import { done } from '../../src/agents/report.js';
import { presets } from '../../src/policy/presets.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import { eachInAStep } from '../faults/agents-faulty.js';
import { expectNoLeaks } from '../faults/no-leaks.js';
import { started } from '../run/runs.js';
import { after, workerBy } from '../scenarios/by-step.js';
import type { Control, ScenarioSetup } from '../scenarios/harness.js';
import { scenario } from '../scenarios/harness.js';
import { steps } from '../scenarios/team.js';

expectNoLeaks();

describe('seed 003, as it was written', () => {
  // Every plan of up to five steps with every subset of failures is in test/scenarios/dags.test.ts.
  scenario(
    'a task behind a failed dependency is settled, so that the plan is complete and the run ends',
    () => ({
      options: {
        agents: [workerBy({ b: new Error('Broken') })],
        policy: presets.planAndExecute({ retry: { attempts: 1 } }),
      },
      start: { plan: { steps: steps('a', 'b<a', 'c<b', 'd<c', 'e<a') } },
    }),
    ({ report }) => {
      expect(report.steps.map(({ id, status }) => [id, status])).toEqual([
        ['a', 'completed'],
        ['b', 'failed'],
        ['c', 'skipped'],
        ['d', 'skipped'],
        ['e', 'completed'],
      ]);
      expect(report).toMatchObject({ status: 'failed', reason: 'steps-failed', durationMs: 0 });
    },
  );

  /** Four tasks, one after the other; a person acts while the first one runs. */
  const whileRunning =
    (act: (control: Control) => void) =>
    (clock: VirtualClock): ScenarioSetup => {
      const ids = ['t1', 't2', 't3', 't4'];
      const behaviours = Object.fromEntries(ids.map((id) => [id, after(clock, 100, id)]));
      return {
        options: { agents: [workerBy(behaviours)], policy: presets.planAndExecute() },
        start: { plan: { steps: steps(...ids) } },
        at: { 50: act },
      };
    };

  scenario(
    'tasks are skipped by their names, pending ones as well as the running one',
    whileRunning((control) => control.skip(['t1', 't3'])),
    ({ report, commands }) => {
      expect(commands).toEqual([{ accepted: true }]);
      expect(report.steps.map(({ id, status }) => [id, status])).toEqual([
        ['t1', 'skipped'],
        ['t2', 'completed'],
        ['t3', 'skipped'],
        ['t4', 'completed'],
      ]);
    },
  );

  scenario(
    'skipping to a task applies only to the pending tasks before it',
    whileRunning((control) => control.skipTo('t4')),
    ({ report, commands }) => {
      expect(commands).toEqual([{ accepted: true }]);
      expect(report.skippedSteps).toEqual(['t1', 't2', 't3']);
      expect(report.successfulSteps).toEqual(['t4']);
    },
  );

  it('a number instead of a name is refused and skips nothing', async () => {
    const { run, clock } = started();
    for (const wrong of [[0], [1], ['0'], [' a']]) {
      expect(await run.skip(wrong as string[])).toMatchObject({ accepted: false });
    }
    expect(await run.skipTo(1 as unknown as string)).toMatchObject({ accepted: false });
    await clock.runUntil(run.done);
    expect((await run.done).successfulSteps).toEqual(['a', 'b', 'c']);
  });

  const ofKind = (kind: unknown): unknown => ({ ...done('a text'), kind });
  const unknownKinds = [
    'command',
    'string',
    'Done',
    '',
    'toString',
    '__proto__',
    null,
    7,
    undefined,
  ];

  scenario(
    'a result of an unknown kind fails as invalid-output and never becomes a text',
    () => eachInAStep(unknownKinds.map(ofKind)),
    ({ report, factsOf }) => {
      expect(factsOf('agent.failed').map(({ code }) => code)).toEqual(
        unknownKinds.map(() => 'invalid-output'),
      );
      expect(report.steps.slice(0, -1).map(({ output }) => output)).toEqual(
        unknownKinds.map(() => null),
      );
      expect(report.successfulSteps).toEqual(['last']);
    },
  );
});

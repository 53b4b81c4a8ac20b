import { describe, expect, it } from 'vitest';

import { handOff, requestReplan } from '../../src/agents/report.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { presets } from '../../src/policy/presets.js';
import { expectNoLeaks, watchedClock } from '../faults/no-leaks.js';
import { workerBy } from '../scenarios/by-step.js';
import { scenario } from '../scenarios/harness.js';
import { plannerInTurn, toldBy } from '../scenarios/planners.js';
import { agentNamed, steps } from '../scenarios/team.js';
import { underEveryPreset, workersIn } from './defects-presets.js';

expectNoLeaks();

/** Two agents that always hand off to each other. */
const pingPong = () => [
  agentNamed('reviewer', ({ step }) =>
    handOff({ agent: 'fixer', task: 'Fix what is wrong' }, `reviewed in ${step.id}`),
  ),
  agentNamed('fixer', ({ step }) =>
    handOff({ agent: 'reviewer', task: 'Look at it again' }, `fixed in ${step.id}`),
  ),
];

describe('seed 000, as it was written', () => {
  scenario(
    'two agents that always hand off to each other end at the bound, with all results kept',
    () => ({
      options: { agents: pingPong(), policy: presets.collaborative() },
      start: { plan: { steps: steps('reviewer:review') } },
    }),
    ({ report, factsOf }) => {
      const { maxReplans } = presets.collaborative().limits;
      expect(report).toMatchObject({ status: 'completed', replans: maxReplans });
      expect(report.steps).toHaveLength(1 + maxReplans);
      for (const { id, status, output } of report.steps) {
        expect([status, output]).toEqual([
          'completed',
          id.startsWith('fixer') ? `fixed in ${id}` : `reviewed in ${id}`,
        ]);
      }
      expect(factsOf('request.refused')).toMatchObject([{ bound: 'replan-limit' }]);
    },
  );

  it('the bound holds under every preset, for every requesting agent', async () => {
    const seen: Record<string, number> = {};
    await underEveryPreset(
      () => ({ agents: pingPong(), planner: plannerInTurn(['reviewer:review']) }),
      (result, name) => {
        seen[name] = workersIn(result).length;
        expect(
          result.report.steps.every(({ output }) => output !== null),
          name,
        ).toBe(true);
      },
    );
    expect(seen).toEqual({
      collaborative: 9,
      boundedReplan: 3,
      dynamic: 4,
      fixed: 1,
      planAndExecute: 1,
      supervised: 4,
    });
  });

  scenario(
    'a refused request leaves no agent and no query for the next one to inherit',
    () => ({
      options: {
        agents: [
          workerBy({
            a: handOff({ agent: 'wizard', task: 'Do some magic' }, 'part of a'),
            b: requestReplan({ reason: 'It is larger than we thought' }),
            c_rp1: handOff({ agent: 'fixer', task: 'Fix it' }),
          }),
          agentNamed('fixer', ({ task }) => task),
        ],
        planner: plannerInTurn(['a', 'b<a'], ['c']),
        policy: presets.collaborative(),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('request.refused')).toMatchObject([
        { bound: 'unknown-agent', reason: 'Hand-off to wizard: Do some magic' },
      ]);
      expect(toldBy(factsOf)[1]?.requests).toEqual([
        'requestReplan of b: It is larger than we thought',
      ]);
      expect(report.steps.map(({ id, output }) => [id, output])).toEqual([
        ['a', 'part of a'],
        ['b', null],
        ['c_rp1', null],
        ['fixer_rp2', 'Fix it'],
      ]);
    },
  );

  it('holders of a plan, a record or a fact see no later change in it', async () => {
    const clock = watchedClock();
    const plan = { steps: steps('reviewer:review') };
    const planBefore = JSON.stringify(plan);
    const orchestrator = composeOrchestrator(
      { agents: pingPong(), planner: () => plan, policy: presets.collaborative(), clock },
      undefined,
    );
    const run = orchestrator.start({ goal: 'A goal' });
    const held: { readonly value: unknown; readonly text: string }[] = [];
    run.subscribe((fact) => {
      for (const value of [fact, run.record()]) held.push({ value, text: JSON.stringify(value) });
    });
    await clock.runUntil(run.done);
    expect(held.length).toBeGreaterThan(100);
    for (const { value, text } of held) expect(JSON.stringify(value)).toBe(text);
    expect(JSON.stringify(plan)).toBe(planBefore);
    // A new step is in a new list, so that a comparison by reference detects it.
    const lists = held.flatMap(({ value }) =>
      'steps' in (value as object) && 'plans' in (value as object)
        ? [(value as { steps: readonly unknown[] }).steps]
        : [],
    );
    for (const [index, list] of lists.entries()) {
      const next = lists[index + 1];
      if (next !== undefined && next.length !== list.length) expect(next).not.toBe(list);
    }
  });
});

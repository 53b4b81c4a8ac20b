import { describe, expect, it } from 'vitest';

import { performCall } from '../../src/actors/perform-call.js';
import { done, handOff } from '../../src/agents/report.js';
import { ConfigurationError, PlanError } from '../../src/errors.js';
import { composeOrchestrator } from '../../src/orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import { scenario } from './harness.js';
import { surroundings, teamOf, workerInput } from './one-call.js';
import { inTurn } from './scripted.js';
import { agentNamed, steps } from './team.js';
import { expectNothingUnhandled } from './unhandled.js';

expectNothingUnhandled();

describe('an agent and the names it is called by', () => {
  it('A17: two agents with one name are refused before anything happens', () => {
    const agents = [agentNamed('worker', () => 1), agentNamed('worker', () => 2)];
    expect(() => composeOrchestrator({ agents }, undefined)).toThrow(ConfigurationError);
  });

  it('A17: an agent that is not there any more is unknown, and nobody else is called', async () => {
    for (const name of ['gone', 'constructor', '__proto__', 'toString', '', 'x'.repeat(10_000)]) {
      const outcome = await performCall(
        teamOf(() => 'called'),
        workerInput(name),
        surroundings(),
      );
      expect(outcome).toMatchObject({ kind: 'failed', code: 'unknown-agent' });
    }
  });

  for (const name of ['constructor', '__proto__', 'toString', '', 'x'.repeat(10_000), 'wοrker']) {
    it(`A18: a plan cannot name '${name.slice(0, 20)}'`, () => {
      const orchestrator = composeOrchestrator(
        { agents: [agentNamed('worker', () => 1)] },
        undefined,
      );
      const plan = { steps: [{ id: 'a', agent: name, task: 'Do it' }] };
      expect(() => orchestrator.start({ goal: 'A goal', plan })).toThrow(PlanError);
    });

    scenario(
      `A18: a planner cannot name '${name.slice(0, 20)}', nor can an agent hand off to it`,
      () => ({
        options: {
          agents: [
            agentNamed('worker', () =>
              handOff({ agent: name || 'nobody', task: 'Do the rest' }, 'part'),
            ),
          ],
          planner: inTurn(
            { steps: [{ id: 'a', agent: name, task: 'Do it' }] },
            { steps: steps('b') },
          ) as never,
        },
      }),
      ({ report, factsOf }) => {
        expect(factsOf('plan.rejected')).toMatchObject([{ by: 'validation' }]);
        expect(factsOf('plan.rejected')[0]?.issues).toMatchObject([{ code: 'unknown-agent' }]);
        expect(report.steps.map(({ agent }) => agent)).toEqual(['worker']);
        expect(report.status).toBe('completed');
      },
    );
  }

  scenario(
    'A18: agents and steps may have the names of what every object has',
    () => ({
      options: {
        agents: [
          agentNamed('constructor', () => done('c', { confidence: 0.2 })),
          agentNamed('toString', (call) => call.dependencies.map(({ output }) => output)),
          agentNamed('hasOwnProperty', () => 'h'),
        ],
        policy: definePolicy({
          approval: { confidenceBelow: 0.5 },
          breaker: { failures: 2, resetMs: 1_000 },
        }),
      },
      start: {
        plan: {
          steps: steps(
            'constructor:valueOf',
            'toString:constructor<valueOf',
            'hasOwnProperty:toString',
          ),
        },
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('approval.requested')).toEqual([]);
      expect(report.successfulSteps).toEqual(['valueOf', 'constructor', 'toString']);
      expect(report.steps[1]?.output).toEqual(['c']);
      expect(Object.keys(report.metrics.agents)).toEqual([
        'constructor',
        'hasOwnProperty',
        'toString',
      ]);
    },
  );

  it('A18: names that need escaping are refused where the agent is defined', () => {
    for (const name of ['__proto__', '', ' worker', 'wörker', 'a/b', 'x'.repeat(65), '1st']) {
      expect(() => agentNamed(name, () => 1)).toThrow(ConfigurationError);
    }
  });
});

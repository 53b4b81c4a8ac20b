import { describe, expect, it } from 'vitest';

import { performCall } from '../../src/actors/perform-call.js';
import { done, handOff } from '../../src/agents/report.js';
import { ConfigurationError, JournalMismatchError, PlanError } from '../../src/errors.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import { memoryStore } from '../../src/services/memory-store.js';
import { storeWith } from '../run/runs.js';
import { scenario } from '../scenarios/harness.js';
import { surroundings, teamOf, workerInput } from '../scenarios/one-call.js';
import { inTurn } from '../scenarios/scripted.js';
import { agentNamed, slowAgent, steps } from '../scenarios/team.js';
import { expectNoLeaks, watchedClock } from './no-leaks.js';

expectNoLeaks();

/** The last one is spelt with a Greek omicron. */
const strangeNames = ['constructor', '__proto__', 'toString', '', 'x'.repeat(10_000), 'wοrker'];

describe('a team and its names', () => {
  it('rejects two agents with one name before anything starts', () => {
    const agents = [agentNamed('worker', () => 1), agentNamed('worker', () => 2)];
    const compose = (): unknown => composeOrchestrator({ agents }, undefined);
    expect(compose).toThrow(ConfigurationError);
    expect(compose).toThrow("agents[1]: There is already an agent called 'worker'");
  });

  it('an agent missing from the team fails the attempt as unknown-agent, and no other agent is called', async () => {
    let calls = 0;
    const team = teamOf(() => {
      calls += 1;
      return 'called';
    });
    for (const name of ['gone', ...strangeNames]) {
      const outcome = await performCall(team, workerInput(name), surroundings());
      expect(outcome).toMatchObject({ kind: 'failed', code: 'unknown-agent' });
    }
    expect(calls).toBe(0);
  });

  it('an agent removed from the list after the team was made is still in the team', async () => {
    const clock = watchedClock();
    const agents = [agentNamed('worker', () => 'did it')];
    const orchestrator = composeOrchestrator({ agents, clock }, undefined);
    const run = orchestrator.start({ goal: 'A goal', plan: { steps: steps('a') } });
    agents.pop();
    await clock.runUntil(run.done);
    expect((await run.done).steps).toMatchObject([{ status: 'completed', output: 'did it' }]);
  });

  it('a team that lacks an agent of a run’s plan cannot resume the run, and no agent is called', async () => {
    const clock = watchedClock();
    const store = memoryStore();
    const next = agentNamed('next', () => 'fine');
    const team = [slowAgent('worker', clock, 100), next];
    const run = composeOrchestrator({ agents: team, clock, store }, undefined).start({
      goal: 'A goal',
      runId: 'run',
      plan: { steps: steps('a', 'next:b<a') },
    });
    await clock.settle();
    const half = await storeWith(store, 'run', run.journal().length);
    const worker = slowAgent('worker', clock, 100);
    const smaller = composeOrchestrator({ agents: [worker], clock, store: half }, undefined);
    await expect(smaller.resume('run')).rejects.toThrow(JournalMismatchError);
    expect(worker.calls).toEqual([]);
    await clock.runUntil(run.done);
    expect((await run.done).status).toBe('completed');
  });
});

describe('a name that every object inherits', () => {
  it('is an unknown agent in a given plan', () => {
    const agents = [agentNamed('worker', () => 1)];
    const orchestrator = composeOrchestrator({ agents }, undefined);
    for (const agent of strangeNames) {
      const plan = { steps: [{ id: 'a', agent, task: 'Do it' }] };
      expect(() => orchestrator.start({ goal: 'A goal', plan })).toThrow(PlanError);
    }
  });

  scenario(
    'is an unknown agent in every step of a planner’s plan',
    () => ({
      options: {
        agents: [agentNamed('worker', () => 'did it')],
        planner: inTurn(
          {
            steps: strangeNames.map((agent, index) => ({ id: `s${index}`, agent, task: 'Do it' })),
          },
          { steps: steps('b') },
        ) as never,
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('plan.rejected')).toMatchObject([{ by: 'validation' }]);
      const issues = factsOf('plan.rejected')[0]?.issues.map(({ code, path }) => [code, path]);
      expect(issues).toEqual(
        strangeNames.map((_, index) => ['unknown-agent', `steps[${index}].agent`]),
      );
      expect(report.steps.map(({ agent }) => agent)).toEqual(['worker']);
    },
  );

  scenario(
    'is an unknown agent in a hand-off, which is refused at no cost',
    () => ({
      options: {
        agents: [
          agentNamed('worker', ({ step }) => {
            const agent = strangeNames[Number(step.id.slice(1))] ?? '';
            return handOff({ agent: agent || 'nobody', task: 'Do the rest' }, 'part');
          }),
        ],
      },
      start: { plan: { steps: steps(...strangeNames.map((_, index) => `s${index}`)) } },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('request.refused')).toHaveLength(strangeNames.length);
      expect(report).toMatchObject({ status: 'completed', replans: 0 });
      expect(report.steps.map(({ agent, output }) => [agent, output])).toEqual(
        strangeNames.map(() => ['worker', 'part']),
      );
    },
  );

  scenario(
    'is allowed as the name of agents and steps',
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

  it('that would need escaping is refused by defineAgent', () => {
    const refused = ['__proto__', '', ' worker', 'wörker', 'wοrker', 'a/b', 'x'.repeat(65), '1st'];
    for (const name of refused) {
      expect(() => agentNamed(name, () => 1)).toThrow(ConfigurationError);
    }
  });
});

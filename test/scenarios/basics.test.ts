import { describe, expect } from 'vitest';

import { definePolicy } from '../../src/policy/policy.js';
import { presets } from '../../src/policy/presets.js';
import { scenario } from './harness.js';
import { agentNamed, slowAgent, steps } from './team.js';

describe('a plan without failures', () => {
  scenario(
    'runs every step once and completes',
    (clock) => ({
      options: { agents: [slowAgent('worker', clock, 10)], policy: definePolicy() },
      start: { plan: { steps: steps('a', 'b<a', 'c<a', 'd<b,c') } },
    }),
    ({ report, factsOf }) => {
      expect(report.status).toBe('completed');
      expect(report.successfulSteps).toEqual(['a', 'b', 'c', 'd']);
      expect(report.allSucceeded).toBe(true);
      expect(report.durationMs).toBe(30);
      expect(factsOf('agent.called').map((fact) => fact.key)).toEqual([
        'run/a/1/worker',
        'run/b/1/worker',
        'run/c/1/worker',
        'run/d/1/worker',
      ]);
    },
  );

  scenario(
    'gives a step the outputs of the steps it depends on',
    () => {
      const worker = agentNamed('worker', (call) => ({
        from: call.dependencies.map(({ stepId, output }) => ({ stepId, output })),
      }));
      return {
        options: {
          agents: [worker],
          planner: () => ({ analysis: 'Simple', steps: steps('a', 'b<a') }),
        },
      };
    },
    ({ report }) => {
      expect(report.steps[1]?.output).toEqual({ from: [{ stepId: 'a', output: { from: [] } }] });
    },
  );

  scenario(
    'never runs more steps at once than maxParallel',
    (clock) => ({
      options: {
        agents: [slowAgent('worker', clock, 10)],
        policy: definePolicy({ limits: { maxParallel: 2 } }),
      },
      start: { plan: { steps: steps('a', 'b', 'c', 'd', 'e') } },
    }),
    ({ report, facts }) => {
      let running = 0;
      let most = 0;
      for (const fact of facts) {
        if (fact.type === 'step.started') running += 1;
        if (fact.type === 'step.completed') running -= 1;
        most = Math.max(most, running);
      }
      expect(most).toBe(2);
      expect(report.durationMs).toBe(30);
    },
  );
});

describe('every preset', () => {
  for (const [name, preset] of Object.entries(presets)) {
    scenario(
      `${name} completes a plan without failures`,
      (clock) => ({
        options: {
          agents: [slowAgent('worker', clock, 10), slowAgent('reviewer', clock, 5)],
          planner: () => ({ analysis: 'Two steps', steps: steps('a', 'reviewer:b<a') }),
          supervisor: () => ({ score: 90, issues: [], feedback: 'Good' }),
          summarizer: () => 'Both done',
          policy: preset(),
        },
      }),
      ({ report }) => {
        expect(report.status).toBe('completed');
        expect(report.successfulSteps).toEqual(['a', 'b']);
        expect(report.summary).toBe('Both done');
      },
    );
  }
});

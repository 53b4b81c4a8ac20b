import { describe, expect, it } from 'vitest';

import { done, requestReplan } from '../../src/agents/report.js';
import { presets } from '../../src/policy/presets.js';
import { expectNoLeaks } from '../faults/no-leaks.js';
import { workerBy } from '../scenarios/by-step.js';
import { scenario } from '../scenarios/harness.js';
import { plannerInTurn } from '../scenarios/planners.js';
import { agentNamed, steps } from '../scenarios/team.js';
import { plannerCallsIn, underEveryPreset, workersIn } from './defects-presets.js';

expectNoLeaks();

describe('seed 002, as it was written', { timeout: 60_000 }, () => {
  /** A planner that always proposes something new, so that no plan is a repetition. */
  const inventive = ({ revision }: { readonly revision: number }) => ({
    steps: [{ id: 's', agent: 'worker', task: `Try idea number ${revision}` }],
  });

  it('requests and failures count alike: an agent that always asks is bounded like one that always fails', async () => {
    const answers = {
      asks: () => requestReplan({ reason: 'I want another plan' }),
      fails: () => Promise.reject(new Error('Broken')),
    };
    for (const answer of Object.values(answers)) {
      await underEveryPreset(
        () => ({ agents: [agentNamed('worker', answer)], planner: inventive }),
        (result, name) => {
          const { maxReplans } = result.orchestrator.policy.limits;
          expect(plannerCallsIn(result), name).toBeLessThanOrEqual(1 + maxReplans);
          expect(workersIn(result).length, name).toBeLessThanOrEqual(1 + maxReplans);
        },
      );
    }
  });

  scenario(
    'requests and failures in turn spend one shared budget',
    () => {
      let calls = 0;
      const worker = agentNamed('worker', () => {
        calls += 1;
        if (calls % 2 === 0) throw new Error('Broken');
        return requestReplan({ reason: 'I want another plan' });
      });
      const policy = presets.dynamic({ retry: { attempts: 1 } });
      return { options: { agents: [worker], planner: inventive, policy } };
    },
    (result) => {
      expect(plannerCallsIn(result)).toBe(1 + 3);
      expect(result.report.replans).toBe(3);
      expect(result.factsOf('replan.requested').map(({ kind }) => kind)).toEqual([
        'requestReplan',
        'stepFailed',
        'requestReplan',
      ]);
    },
  );

  scenario(
    'an approved step needs no second approval, however unsure its agent stays',
    () => ({
      options: {
        agents: [agentNamed('worker', ({ step }) => done(`did ${step.id}`, { confidence: 0.1 }))],
        policy: presets.dynamic(),
      },
      start: { plan: { steps: steps('a', 'b<a', 'c<b') } },
      onFact: (fact, control) => {
        if (fact.type === 'approval.requested') control.approve(fact.requestId);
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('approval.requested').map(({ stepId }) => stepId)).toEqual(['b', 'c']);
      expect(factsOf('approval.granted')).toHaveLength(2);
      expect(factsOf('agent.called').map(({ stepId }) => stepId)).toEqual(['a', 'b', 'c']);
      expect(report.status).toBe('completed');
    },
  );

  it('a step that a person rejected is never worked on, under every policy', async () => {
    const architects: string[] = [];
    await underEveryPreset(
      () => ({
        agents: [
          agentNamed('architect', ({ step }) => architects.push(step.id)),
          agentNamed('worker', () => 'fine'),
        ],
        // Proposes the same again and again; the approval is the plan's own, so that every preset has it.
        planner: ({ revision }) => ({
          steps: [
            { id: 'design', agent: 'architect', task: `Draw ${revision}`, requiresApproval: true },
            { id: 'rest', agent: 'worker', task: 'Do what can be done' },
          ],
        }),
      }),
      ({ report, factsOf }, name) => {
        const rejected = factsOf('approval.rejected');
        expect(rejected.length, name).toBeGreaterThan(0);
        expect(factsOf('approval.requested'), name).toHaveLength(rejected.length);
        for (const { id, status } of report.steps) {
          if (id.startsWith('design')) expect(status, name).not.toBe('completed');
        }
      },
      {
        onFact: (fact, control) => {
          if (fact.type === 'approval.requested') control.reject(fact.requestId, 'No');
        },
      },
    );
    expect(architects).toEqual([]);
  });

  scenario(
    'after a replan the same agent at the same position overwrites nothing: every output has its own key',
    () => ({
      options: {
        agents: [
          agentNamed('developer', ({ task }) => task),
          workerBy({ asks: requestReplan({ reason: 'More' }, 'half') }, 'analyst'),
        ],
        planner: plannerInTurn(
          {
            steps: [
              { id: 'code', agent: 'developer', task: 'Write the first part' },
              { id: 'asks', agent: 'analyst', task: 'Look at the rest', dependsOn: ['code'] },
            ],
          },
          { steps: [{ id: 'code', agent: 'developer', task: 'Write the second part' }] },
        ),
        policy: presets.dynamic(),
      },
    }),
    ({ report }) => {
      expect(report.steps.map(({ id, output, outputKeys }) => [id, output, outputKeys])).toEqual([
        ['code', 'Write the first part', ['run/code/1/worker']],
        ['asks', 'half', ['run/asks/1/worker']],
        ['code_rp1', 'Write the second part', ['run/code_rp1/1/worker']],
      ]);
      expect(report.successfulSteps).toEqual(['code', 'asks', 'code_rp1']);
    },
  );

  scenario(
    'every agent can be unsure, with any name and output, and a failed step is recorded as failed',
    () => ({
      options: {
        agents: [
          agentNamed('analyst', () => done({ scope: 'complex', files: [] }, { confidence: 0.5 })),
          agentNamed('security_reviewer', () => Promise.reject(new Error('Broken'))),
        ],
        policy: presets.dynamic({ retry: { attempts: 1 } }),
      },
      start: { plan: { steps: steps('analyst:a', 'analyst:b<a', 'security_reviewer:c<a') } },
      onFact: (fact, control) => {
        if (fact.type === 'approval.requested') control.approve(fact.requestId);
      },
    }),
    ({ report, factsOf }) => {
      expect(
        factsOf('approval.requested').map(({ stepId, question }) => [stepId, question]),
      ).toEqual([['b', 'The last answer of analyst had a confidence of 0.5, below 0.7']]);
      expect(report.steps.map(({ id, status }) => [id, status])).toEqual([
        ['a', 'completed'],
        ['b', 'completed'],
        ['c', 'failed'],
      ]);
      expect(report.failedSteps).toEqual(['c']);
    },
  );
});

import { describe, expect } from 'vitest';

import type { PlanRequest, ReviewRequest } from '../../src/agents/roles.js';
import type { AgentCall } from '../../src/agents/agent.js';
import { needsContext } from '../../src/agents/report.js';
import { definePolicy } from '../../src/policy/policy.js';
import { scenario } from '../scenarios/harness.js';
import { agentNamed, steps } from '../scenarios/team.js';
import { expectNoLeaks } from './no-leaks.js';

expectNoLeaks();

/** Overwrites everything reachable from a value, like a careless or hostile callback. */
const vandalize = (value: unknown, depth = 0): void => {
  if (typeof value !== 'object' || value === null || depth > 6) return;
  if (value instanceof AbortSignal) return;
  for (const key of Object.keys(value)) vandalize(Reflect.get(value, key), depth + 1);
  for (const key of Object.keys(value)) Reflect.set(value, key, 'vandalized');
  Reflect.set(value, 'extra', 'vandalized');
  if (Array.isArray(value)) attempt(() => value.push('vandalized'));
};

const attempt = (change: () => unknown): void => {
  try {
    change();
  } catch {
    // Frozen: that is the point.
  }
};

const seen = (call: AgentCall): unknown => ({
  step: { ...call.step },
  dependencies: call.dependencies.map(({ output }) => output),
});

describe('a callback that mutates its arguments', () => {
  scenario(
    'an agent that mutates its input affects neither its retry, nor other agents, nor the report',
    () => {
      let calls = 0;
      return {
        options: {
          agents: [
            agentNamed('source', () => ({ list: [1, 2], nested: { name: 'original' } })),
            agentNamed('worker', (call) => {
              calls += 1;
              const before = JSON.parse(JSON.stringify(seen(call))) as unknown;
              vandalize(call);
              if (calls === 1) throw new Error('Once more');
              return before;
            }),
            agentNamed('reader', seen),
          ],
          policy: definePolicy({ retry: { backoffMs: 0 } }),
        },
        start: { plan: { steps: steps('source:a', 'b<a', 'reader:c<a,b') } },
      };
    },
    ({ report }) => {
      const original = { list: [1, 2], nested: { name: 'original' } };
      expect(report.steps[0]?.output).toEqual(original);
      expect(report.steps[1]?.output).toMatchObject({ dependencies: [original] });
      expect(report.steps[2]?.output).toMatchObject({
        step: { id: 'c', attempt: 1, depth: 0 },
        dependencies: [original, { dependencies: [original] }],
      });
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'a planner that mutates its request does not change what was recorded of it',
    () => ({
      options: {
        agents: [
          agentNamed('worker', (call) =>
            call.step.id === 'a' ? needsContext('More about it', { found: 1 }) : 'fine',
          ),
        ],
        planner: (request: PlanRequest) => {
          const reasons = request.requests.map(({ reason }) => reason).join();
          const { revision } = request;
          vandalize(request);
          return { analysis: reasons, steps: steps(revision === 0 ? 'a' : 'b') };
        },
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('replan.requested')).toMatchObject([{ reason: 'More about it' }]);
      expect(factsOf('replan.started')).toMatchObject([{ reasons: ['More about it'] }]);
      expect(report.steps[0]?.output).toEqual({ found: 1 });
      expect(report.successfulSteps).toEqual(['a', 'b_rp1']);
    },
  );

  scenario(
    'a planner that mutates its request and fails is retried with the original request',
    () => {
      let calls = 0;
      return {
        options: {
          agents: [
            agentNamed('worker', (call) =>
              call.step.id === 'a' ? needsContext('More about it') : 'fine',
            ),
          ],
          planner: (request: PlanRequest) => {
            calls += 1;
            const reasons = request.requests.map(({ reason }) => reason).join();
            const { revision } = request;
            vandalize(request);
            if (calls === 2) throw new Error('Once more');
            return { analysis: reasons, steps: steps(revision === 0 ? 'a' : 'b') };
          },
          policy: definePolicy({ retry: { backoffMs: 0 } }),
        },
      };
    },
    ({ report, factsOf }) => {
      expect(factsOf('plan.proposed').map(({ plan }) => plan?.analysis)).toEqual([
        '',
        'More about it',
      ]);
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'a supervisor can neither remove an approval from the plan it reviews nor replace an agent',
    () => ({
      options: {
        agents: [agentNamed('worker', () => 'did it'), agentNamed('other', () => 'hijacked')],
        planner: () => ({
          steps: [
            { id: 'a', agent: 'worker', task: 'Do the dangerous work', requiresApproval: true },
          ],
        }),
        supervisor: (review: ReviewRequest) => {
          const step = review.plan?.steps[0];
          if (step !== undefined) {
            attempt(() => Reflect.set(step, 'requiresApproval', false));
            attempt(() => Reflect.set(step, 'agent', 'other'));
          }
          vandalize(review);
          return { score: 100 };
        },
        policy: definePolicy({ gates: { plan: 70, code: 60, step: 70, goal: 80 } }),
      },
      at: { 10: (control) => control.approve('a:1.1') },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('approval.requested')).toMatchObject([{ requestId: 'a:1.1' }]);
      expect(factsOf('plan.adopted')[0]?.steps).toMatchObject([
        { id: 'a', agent: 'worker', task: 'Do the dangerous work' },
      ]);
      expect(report.steps).toMatchObject([{ status: 'completed', output: 'did it' }]);
    },
  );

  scenario(
    'a tester and a summarizer that mutate the outputs they see change nothing',
    () => ({
      options: {
        agents: [agentNamed('worker', () => ({ list: [1], name: 'original' }))],
        tester: (request) => {
          vandalize(request);
          return { passed: true };
        },
        summarizer: (request) => {
          const texts = request.results.map(({ output }) => JSON.stringify(output));
          vandalize(request);
          return texts.join();
        },
      },
      start: { plan: { steps: steps('a', 'b') } },
    }),
    ({ report }) => {
      const original = '{"list":[1],"name":"original"}';
      expect(report.summary).toBe(`${original},${original}`);
      expect(report.steps.map(({ output }) => JSON.stringify(output))).toEqual([
        original,
        original,
      ]);
    },
  );

  scenario(
    'an agent that later mutates its returned value changes nothing',
    (clock) => {
      const kept = { list: [1] };
      return {
        options: {
          agents: [
            agentNamed('worker', () => kept),
            agentNamed('reader', async (call) => {
              kept.list.push(2);
              await clock.sleep(10, call.signal);
              return call.dependencies.map(({ output }) => output);
            }),
          ],
        },
        start: { plan: { steps: steps('a', 'reader:b<a') } },
      };
    },
    ({ report }) => {
      expect(report.steps.map(({ output }) => output)).toEqual([{ list: [1] }, [{ list: [1] }]]);
    },
  );
});

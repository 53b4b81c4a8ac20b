import { describe, expect } from 'vitest';

import type { AgentCall } from '../../src/agents/agent.js';
import { blocked, requestReplan } from '../../src/agents/report.js';
import { definePolicy } from '../../src/policy/policy.js';
import { after, workerBy } from './by-step.js';
import type { ScenarioResult } from './harness.js';
import { scenario } from './harness.js';
import { plannerInTurn } from './planners.js';
import { agentNamed, steps } from './team.js';

/** A planner that writes the messages it receives into its analysis, and proposes the given steps in turn. */
const listening = (...plans: readonly (readonly string[])[]) =>
  plannerInTurn(
    ...plans.map((plan) => ({ conversation }: { readonly conversation: readonly string[] }) => ({
      analysis: JSON.stringify(conversation),
      steps: steps(...plan),
    })),
  );

const heardBy = ({ factsOf }: ScenarioResult): unknown[] =>
  factsOf('plan.proposed').map(({ plan }): unknown => JSON.parse(plan?.analysis ?? 'null'));

const outputOf = ({ report }: ScenarioResult, stepId: string): unknown =>
  report.steps.find(({ id }) => id === stepId)?.output;

const whatWasSaid = ({ conversation }: AgentCall): readonly string[] => conversation;

const oneByOne = { limits: { maxParallel: 1 } } as const;

describe('a message from a person', () => {
  scenario(
    'reaches the planner with the next plan, oldest first, and changes no plan by itself',
    (clock) => ({
      options: {
        agents: [workerBy({ a: after(clock, 100, requestReplan({ reason: 'More' }, 'a')) })],
        planner: listening(['a'], ['b']),
      },
      at: {
        10: (control) => control.say('Mind the budget'),
        20: (control) => control.say('And the deadline'),
      },
    }),
    (result) => {
      expect(result.commands).toEqual([{ accepted: true }, { accepted: true }]);
      expect(heardBy(result)).toEqual([[], ['Mind the budget', 'And the deadline']]);
      const meanwhile = result.facts.filter(({ at }) => at > 0 && at < 100);
      expect(meanwhile.map(({ type }) => type)).toEqual(['conversation.said', 'conversation.said']);
    },
  );

  scenario(
    'is passed on until policy.context.maxMessages newer messages exist',
    (clock) => ({
      options: {
        agents: [workerBy({ a: after(clock, 100, requestReplan({ reason: 'More' }, 'a')) })],
        planner: listening(['a'], ['b']),
        policy: definePolicy({ context: { maxMessages: 2 } }),
      },
      at: {
        10: (control) => {
          for (const text of ['one', 'two', 'three']) control.say(text);
        },
      },
    }),
    (result) => {
      expect(heardBy(result)).toEqual([[], ['two', 'three']]);
      // The record keeps every message.
      expect(result.factsOf('conversation.said')).toHaveLength(3);
    },
  );

  scenario(
    'reaches the agents of steps that start later, not agents in flight',
    (clock) => ({
      options: {
        agents: [
          agentNamed('worker', async (call) => {
            await clock.sleep(100, call.signal);
            return whatWasSaid(call);
          }),
        ],
        policy: definePolicy(oneByOne),
      },
      start: { plan: { steps: steps('a', 'b', 'c') } },
      at: {
        50: (control) => control.say('Be brief'),
        150: (control) => control.say('Be exact'),
      },
    }),
    (result) => {
      expect(outputOf(result, 'a')).toEqual([]);
      expect(outputOf(result, 'b')).toEqual(['Be brief']);
      expect(outputOf(result, 'c')).toEqual(['Be brief', 'Be exact']);
    },
  );

  scenario(
    'reaches the planner and the agents of a sub-plan if it was sent before their step began',
    (clock) => ({
      options: {
        agents: [
          workerBy({
            a: after(clock, 100, 'a'),
            b: () => blocked('Too much at once'),
            'b/x': whatWasSaid,
          }),
        ],
        planner: listening(['a', 'b<a'], ['x']),
        policy: definePolicy({ limits: { maxAttempts: 1, maxDepth: 1 } }),
      },
      at: { 50: (control) => control.say('Be brief') },
    }),
    (result) => {
      expect(heardBy(result)).toEqual([[], ['Be brief']]);
      expect(outputOf(result, 'b/x')).toEqual(['Be brief']);
    },
  );

  scenario(
    'cannot be changed by its receivers',
    () => ({
      options: {
        agents: [
          agentNamed('worker', ({ conversation }) => {
            (conversation as string[]).push('Obey me');
            return 'never';
          }),
        ],
        policy: definePolicy({ retry: { attempts: 1 } }),
      },
      start: { plan: { steps: steps('a') } },
    }),
    ({ report }) => {
      expect(report.steps).toMatchObject([{ status: 'failed', code: 'threw' }]);
    },
  );
});

import type { PlanRequest } from '../../src/agents/roles.js';
import type { Agent } from '../../src/agents/agent.js';
import { askHuman, blocked, done, requestReplan } from '../../src/agents/report.js';
import type { OrchestratorOptions } from '../../src/orchestrator/create-orchestrator.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import type { Plan } from '../../src/model/plan.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { Run } from '../../src/run/run.types.js';
import type { RunStore } from '../../src/model/run-store.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import { agentNamed, steps } from '../scenarios/team.js';

/*
 * A run in which everything happens at least once: approvals, questions, retries, fixes, a sub-plan, another plan, a
 * summary. Every callback answers only by its input, so it may be called again after a crash.
 */

export const GOAL = 'The goal of the run';

const planner = ({ depth, revision, requests }: PlanRequest): Plan => {
  if (depth > 0) return { analysis: 'Two small steps', steps: steps('x', 'y<x') };
  if (revision > 0)
    return { analysis: requests.map(({ reason }) => reason).join(), steps: steps('e') };
  return { analysis: 'The plan', steps: steps('flaky:a', 'b', 'hard:c', 'scout:d<a,b,c') };
};

/** The team, and a list of the keys it was called with. */
export const referenceTeam = (
  clock: VirtualClock,
  calls: string[],
): OrchestratorOptions<readonly Agent[]> => ({
  clock,
  agents: [
    agentNamed('flaky', async (call) => {
      calls.push(call.key);
      await clock.sleep(30, call.signal);
      if (!call.key.includes('#')) throw new Error('Not at the first try');
      return { key: call.key };
    }),
    agentNamed('worker', async (call) => {
      calls.push(call.key);
      await clock.sleep(20, call.signal);
      if (call.step.id === 'b' && call.feedback.length === 0) {
        return askHuman({ question: 'Which one?', payload: { options: [1, 2] } });
      }
      const feedback = call.feedback.map(({ from, text }) => `${from}: ${text}`);
      return done({ step: call.step.id, mode: call.mode, feedback }, { usage: { inputTokens: 5 } });
    }),
    agentNamed('hard', (call) => {
      calls.push(call.key);
      return blocked('Too hard for one');
    }),
    agentNamed('scout', (call) => {
      calls.push(call.key);
      const found = call.dependencies.map(({ stepId, output }) => ({ stepId, output }));
      return requestReplan({ reason: 'One more thing' }, found);
    }),
  ],
  planner: async (request) => {
    calls.push(request.key);
    await clock.sleep(10, request.signal);
    return planner(request);
  },
  supervisor: (review) => {
    calls.push(review.key);
    const isFirstOfE =
      review.subject === 'step' && review.step?.id === 'e' && review.step.attempt === 1;
    return isFirstOfE ? { score: 20, feedback: 'Once more' } : { score: 90 };
  },
  tester: (request) => {
    calls.push(request.key);
    const isBroken = request.step.id === 'b' && request.cycle === 0;
    return isBroken
      ? { passed: false, failures: ['broken'], fixPlan: { summary: 'Mend it', steps: ['Mend'] } }
      : { passed: true };
  },
  summarizer: (request) => {
    calls.push(request.key);
    return `${request.results.length} done, ${request.failed.length} failed`;
  },
  policy: definePolicy({
    limits: { maxAttempts: 2, maxAgentCalls: 200 },
    approval: { plan: true, agents: ['scout'] },
    gates: { plan: 70, code: 60, step: 70, goal: 80 },
    retry: { backoffMs: 40 },
    breaker: { failures: 5, resetMs: 1_000 },
  }),
});

/** A person who approves every open question, a little later. */
export const agreeTo = (run: Run, clock: VirtualClock): void => {
  run.subscribe((fact) => {
    if (fact.type !== 'approval.requested') return;
    const { requestId } = fact;
    if (!run.record().openApprovals.some((open) => open.requestId === requestId)) return;
    clock.setTimeout(() => {
      void run.approve(requestId, 'The second');
    }, 15);
  });
};

export const startReference = (clock: VirtualClock, calls: string[], store: RunStore): Run => {
  const orchestrator = composeOrchestrator({ ...referenceTeam(clock, calls), store }, undefined);
  const run = orchestrator.start({ goal: GOAL, runId: 'run' });
  agreeTo(run, clock);
  return run;
};

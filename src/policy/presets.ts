/**
 * The six ready-made policies, one for each way of working in the seed documents. A preset says
 * only what differs from the defaults, and every option of it can be overridden.
 *
 * Where a seed gives no bound, or two seeds disagree, the comment says what was chosen (`X` numbers
 * are the conflicts resolved in the seed checklist, A.5).
 */

import { resolvePolicy } from './resolve.js';
import type { Policy, PolicyOverrides } from '../model/policy.js';

/** A preset. Its argument overrides options. */
export type Preset = <const AgentName extends string = never>(
  overrides?: PolicyOverrides<AgentName>,
) => Policy<AgentName>;

// Only seed 004 plans inside a step and attempts a step again (X16: "others none"). Elsewhere a step that does not
// succeed has failed, and sub-plans would only raise the bounds.
const oneGoPerStep = { maxDepth: 0, maxAttempts: 1 } as const;

const dynamicOptions = {
  // The seed plans voting next (002.56); three is the smallest number with a majority over one.
  limits: { ...oneGoPerStep, maxReplans: 3, maxParallel: 1, maxVotes: 3, maxAgentCalls: 300 },
  // X3: the seed replaces the whole list and starts again at 0, which overwrites outputs of
  // completed steps (defect 11). X12: at the limit the seed fails the run; here the rest of the
  // plan still runs.
  replan: { merge: 'replacePending', onLimit: 'continue' },
  failure: { onStepFailure: 'replan' },
  approval: {
    confidenceBelow: 0.7,
    autoApproveTrivial: true,
    // X11: the seed fails the run on a rejection (002.47); the reason is more useful for a new plan.
    onReject: 'replan',
  },
  context: { maxOutputTokens: 2_000 },
} as const satisfies PolicyOverrides;

/** Ready-made policies. Each takes overrides and returns a checked, frozen policy. */
export const presets = Object.freeze({
  /**
   * Seed 000, collaboration: agents hand work to each other (reviewer to fixer and back), and each hand-off becomes the
   * next step. One step at a time; planned steps are never removed. Use it for small teams that know whom to ask.
   */
  collaborative: preset({
    // The seed has no bound on alternating review and fix (defect 1). Its own example needs four rounds; beyond eight,
    // more rounds stopped helping in the data behind X1.
    limits: { ...oneGoPerStep, maxReplans: 8, maxParallel: 1, maxAgentCalls: 200 },
    // X5: "can execute immediately" means in front of the pending steps.
    replan: { merge: 'appendNext' },
    // The router of the seed continues with the next pending step, even after a failure.
    failure: { onStepFailure: 'continue' },
    retry: { attempts: 1 },
  }),

  /**
   * Seed 001, bounded re-planning: independent steps run in parallel, a worker that lacks context asks for it, and the
   * planner is called at most twice more. Completed steps are kept and never run again. Use it for analysis and
   * research, where the first results decide the next steps.
   */
  boundedReplan: preset({
    limits: { ...oneGoPerStep, maxReplans: 2, maxParallel: 5, maxSteps: 10, maxAgentCalls: 100 },
    time: { stepTimeoutMs: 60_000 },
    // "Max iterations reached -> Exit" leaves the re-planning loop. Steps that are already planned
    // still run (X12: never throw away results); 'finish' is the literal reading, one override
    // away.
    replan: { merge: 'replacePending', coalesce: 'batch', onLimit: 'continue' },
    failure: { onStepFailure: 'continue', onDependencyFailure: 'skip' },
    retry: { attempts: 1 },
    context: { summaryCharacters: 200 },
  }),

  /**
   * Seed 002, dynamic orchestration: the planner composes the pipeline for the task at hand and adapts it when an agent
   * asks or fails. People approve the agents in `approval.agents`, none by default, and any agent with low confidence;
   * trivial work needs no approval. Use it when tasks differ too much for one pipeline.
   */
  dynamic: preset(dynamicOptions),

  /**
   * Seed 002, fixed mode: the approvals of `dynamic` with a pipeline that never changes. Use it with a given plan, or
   * where every run must take the same path.
   */
  fixed: preset({
    ...dynamicOptions,
    limits: { ...dynamicOptions.limits, maxReplans: 0, maxAgentCalls: 150 },
    // Without a planner to call again, a rejection ends the run, as the seed says (002.47).
    approval: { ...dynamicOptions.approval, onReject: 'fail' },
  }),

  /**
   * Seed 003, plan and execute: one plan, executed in the order of its dependencies, then summarized. A failed task
   * does not stop the plan; the summary reports it. Agents are remote, so calls are retried and a breaker protects
   * against one that is down. Use it for workflows across systems.
   */
  planAndExecute: preset({
    // Failed tasks do not stop the remaining ones.
    limits: {
      ...oneGoPerStep,
      maxReplans: 0,
      maxParallel: 1,
      maxFailures: 1_000_000,
      maxAgentCalls: 150,
    },
    failure: {
      onStepFailure: 'continue',
      // The seed waits forever behind a failed dependency (defect 13).
      onDependencyFailure: 'skip',
      onPlannerFailure: 'interrupt',
    },
    // The seed does not define a rejection; like a failure, it should not stop the plan.
    approval: { onReject: 'skip' },
    retry: { attempts: 3, backoffMs: 1_000, maxBackoffMs: 30_000 },
    // The seed requires a breaker without numbers. Five failures are more than one exhausted call, so that a single bad
    // task does not open the breaker.
    breaker: { failures: 5, resetMs: 30_000 },
    context: { maxMessages: 20 },
  }),

  /**
   * Seed 004, supervised teams: a supervisor scores plan, code, step and goal, a tester's fix plans
   * loop back to the coder, a blocked step gets a sub-plan, and repeated issues climb the
   * escalation ladder. Time is divided among the steps. Use it for work that must be checked, such
   * as code.
   */
  supervised: preset({
    limits: {
      maxReplans: 3,
      maxDepth: 3,
      maxAttempts: 3,
      maxFixCycles: 3,
      maxParallel: 1,
      maxSteps: 15,
      maxAgentCalls: 300,
    },
    // Steps and phases have their own budgets here; one call may use all of its step's.
    time: { stepShare: true, stepTimeoutMs: null },
    // "Mark failed and continue"; too many failures escalate by limits.maxFailures.
    failure: { onStepFailure: 'continue' },
    gates: { plan: 70, code: 60, step: 70, goal: 80 },
    escalation: {
      scores: { remind: 70, correct: 50, refocus: 30 },
      issues: { correct: 2, refocus: 3, critical: 4, abort: 5 },
    },
    retry: { attempts: 3, fallback: true },
  }),
});

function preset(options: PolicyOverrides): Preset {
  return (overrides) => resolvePolicy(options, overrides);
}

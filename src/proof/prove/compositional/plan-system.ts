import type { EventObject } from 'xstate';

import type { OrchestratorInput, RunOutcome } from '../../../machines/orchestrator/context.js';
import type { Settings } from '../../../model/settings.js';
import { hasGate } from '../../../guards/gates.js';
import type { Frame, Move, System } from '../model.types.js';
import { commandMoves } from '../moves/commands.js';
import type { Repertoire } from '../moves/replies.js';
import { rungScores } from '../moves/replies.js';
import { startMoves } from '../moves/starts.js';
import { timerMoves } from '../moves/timers.js';
import { withWallTime } from '../moves/wall-time.js';
import { observedKernel } from '../observed-kernel.js';
import { countedRunText, runText } from '../projection/run-text.js';
import { rootPlanOf } from '../root-plan.js';
import { boundViolations, replanViolations } from '../rules/bound-rules.js';
import { extensionViolations } from '../rules/extension-rule.js';
import { plannedViolations } from '../rules/planned-rule.js';
import { recoveryViolations } from '../rules/recovery-rules.js';
import { childRejectionViolations } from '../rules/child-rejection-rules.js';
import { rejectionViolations } from '../rules/rejection-rules.js';
import { waitingViolations } from '../rules/waiting-rules.js';
import type { Charts } from '../whole-run.js';
import { pick } from './call-system.js';
import { endNamer } from './contract.js';
import type { Contracts } from './contracts.js';
import { contractMoves, costOfStopped, detailOfStopped, refusableIn } from './contracts.js';
import { standInsFor } from './counted-steps.js';
import { environmentOf } from './environment.js';
import {
  environmentIn,
  pauseMoves,
  questionMoves,
  refusedMove,
  replyMoves,
  sayMove,
  stopMove,
  windDownMove,
} from './environment-moves.js';

const rulesOf = ({ policy }: Settings): Pick<System, 'violations' | 'violationsOfStep'> => ({
  violations: (frame) => [...boundViolations(frame), ...waitingViolations(frame)],
  violationsOfStep: (before, move, step) => [
    ...rejectionViolations(policy, step),
    ...childRejectionViolations(before, move, step),
    ...replanViolations(before, step),
    ...recoveryViolations(move, step),
    ...plannedViolations(step),
  ],
});

/** The orchestrator chart of a sub-plan, alone, against the contracts of its steps and calls. */
export const subplanSystem = (
  charts: Charts,
  repertoire: Repertoire,
  contracts: Contracts,
  depth: number,
): System => ({
  name: `a sub-plan at level ${depth}`,
  kernel: observedKernel({
    root: 'environment',
    machines: {
      environment: environmentOf('orchestrator', 'subplan'),
      ...pick(charts, 'orchestrator', 'approval'),
    },
  }),
  starts: [false, true].map((isPaused) => ({
    kind: 'answer',
    label: `The sub-plan starts${isPaused ? ' while the run is paused' : ''}`,
    input: { kind: 'started', input: nestedInput(repertoire.settings, depth, isPaused) },
  })),
  moves: (frame) => {
    const [heard] = environmentIn(frame).heard;
    if (heard !== undefined) return replyMoves(repertoire.settings.policy, heard);
    return [
      ...contractMoves(contracts, repertoire, frame),
      ...timerMoves(frame),
      ...questionMoves(frame),
      ...pauseMoves,
      windDownMove,
      timeUpMove,
      stopMove,
      ...refusableIn(contracts, frame).map(refusedMove),
    ];
  },
  textOf: runText,
  endOf: endNamer(outcomeName),
  costOfStopped: costOfStopped(contracts),
  detailOfStopped: (call) => detailOfStopped(contracts, call),
  ...rulesOf(repertoire.settings),
});

const timeUpMove = sayMove('answer', 'The time of its step gets short', { type: 'time.isUp' });

/** The endings of a sub-plan that its step can distinguish. */
const outcomeName = (output: unknown): string => {
  const { status, rejected } = output as RunOutcome;
  if (rejected !== null) return 'failed (rejected)';
  return status === 'completed' ? 'completed' : 'failed';
};

const nestedInput = (
  { policy }: Settings,
  depth: number,
  isPaused: boolean,
): OrchestratorInput => ({
  goal: 'Task',
  runId: 'run',
  nested: {
    parentStepId: Array.from({ length: depth }, () => 's1').join('/'),
    depth,
    limitMs: policy.time.limitMs,
    isPaused,
    conversation: [],
  },
});

/** The orchestrator chart of the goal, alone, against the contracts of its steps and calls, and all commands. */
export const goalSystem = (
  charts: Charts,
  repertoire: Repertoire,
  contracts: Contracts,
): System => {
  const kernel = observedKernel({
    root: 'orchestrator',
    machines: pick(charts, 'orchestrator', 'approval'),
  });
  const { violations, violationsOfStep } = rulesOf(repertoire.settings);
  const { areStepsCounted } = repertoire;
  const textOf = areStepsCounted ? countedRunText : runText;
  return {
    name: 'the plan of the goal',
    kernel,
    starts: startMoves(repertoire),
    moves: (frame) => [
      ...contractMoves(contracts, repertoire, frame),
      ...timerMoves(frame).map((move) => withWallTime(frame, move)),
      ...commandMoves(frame),
      ...reportMoves(repertoire.settings, frame),
      ...refusableIn(contracts, frame).map(outOfCalls),
    ],
    textOf,
    ...(areStepsCounted ? { standInsFor } : {}),
    endOf: ({ output, status }) => `${status} ${(output as RunOutcome | undefined)?.status ?? ''}`,
    costOfStopped: costOfStopped(contracts),
    detailOfStopped: (call) => detailOfStopped(contracts, call),
    violations: (frame) => [...violations(frame), ...extensionViolations(kernel, textOf, frame)],
    violationsOfStep,
  };
};

/** Treated like an abort by a person: the call that exceeds the budget ends the run. */
const outOfCalls = (refused: string): Move => ({
  kind: 'answer',
  label: 'No calls are left',
  input: {
    kind: 'commanded',
    event: { type: 'run.abort', reason: 'No calls are left' } as EventObject,
  },
  refused,
});

/** Reports before a step or a review ends: verdicts for the ladder, calls for the budget. */
const reportMoves = (settings: Settings, frame: Frame): Move[] => {
  const slot = rootPlanOf(frame).slots.findIndex((index) => index !== null);
  if (slot < 0) return reviewReports(settings, frame);
  const isJudged = hasGate(settings, 'code') || hasGate(settings, 'step');
  return [
    ...(isJudged ? verdictReports(settings, 'A step') : []),
    ...budgetReports(settings, [`slot-${slot}`]),
  ];
};

/** A review of the plan or the goal reports its verdict before it ends. */
const reviewReports = (settings: Settings, { calls }: Frame): Move[] => {
  if (calls.has('/planReview')) return verdictReports(settings, 'The plan');
  return calls.has('/goalReview') ? verdictReports(settings, 'The goal') : [];
};

const report = (label: string, event: object): Move => ({
  kind: 'inner',
  label,
  input: { kind: 'commanded', event: event as EventObject },
});

const verdictReports = (settings: Settings, judged: string): Move[] =>
  rungScores(settings).flatMap((score) =>
    [false, true].map((hasIssues) =>
      report(`${judged} has a verdict of ${score}${hasIssues ? ' with issues' : ''}`, {
        type: 'verdict.given',
        subject: 'code',
        score,
        hasPassed: !hasIssues,
        hasIssues,
        feedback: '',
      }),
    ),
  );

/** An agent without a breaker: the contracts of the steps already include the breakers' answers. */
const AGENT_WITHOUT_BREAKER = 'an agent without a breaker';

const budgetReports = ({ policy }: Settings, route: readonly string[]): Move[] => {
  const { maxAgentCalls, maxTokens, maxCostUsd } = policy.limits;
  if (maxAgentCalls === null && maxTokens === null && maxCostUsd === null) return [];
  const usage = { inputTokens: maxTokens ?? 0, outputTokens: 0, costUsd: maxCostUsd ?? 0 };
  const asks = { type: 'permit.requested', agent: AGENT_WITHOUT_BREAKER, route };
  const spends = { type: 'call.settled', agent: AGENT_WITHOUT_BREAKER, hasSucceeded: true, usage };
  return [
    report('A step asks to make a call', asks),
    ...(maxTokens === null && maxCostUsd === null
      ? []
      : [report('A step uses the budget up', spends)]),
  ];
};

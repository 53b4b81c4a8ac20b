import type { Settings } from '../../../model/settings.js';
import type { StepContext, StepInput } from '../../../machines/step/context.js';
import type { StepOutcome } from '../../../model/step-outcome.js';
import { fixBudgetMs, stepBudgetMs } from '../../../guards/time-budgets.js';
import type { Frame, Move, System } from '../model.types.js';
import { agentsToTell, votesToTell } from '../moves/plan-shapes.js';
import type { Repertoire } from '../moves/replies.js';
import { timerMoves } from '../moves/timers.js';
import { observedKernel } from '../observed-kernel.js';
import { HANDED_ON } from '../projection/live-steps.js';
import { runText } from '../projection/run-text.js';
import { boundViolations } from '../rules/bound-rules.js';
import { rejectionViolations } from '../rules/rejection-rules.js';
import { waitingViolations } from '../rules/waiting-rules.js';
import type { Charts } from '../whole-run.js';
import { pick } from './call-system.js';
import { endNamer } from './contract.js';
import type { Contracts } from './contracts.js';
import { contractMoves, costOfStopped, detailOfStopped, refusableIn } from './contracts.js';
import { environmentOf } from './environment.js';
import {
  cutOffMove,
  environmentIn,
  pauseMoves,
  questionMoves,
  refusedMove,
  replyMoves,
  sayMove,
  stopMove,
  windDownMove,
} from './environment-moves.js';

export type StepOrigin = 'planned' | 'handed on';

/** The step chart, alone, against the contracts of its calls and of its sub-plan. */
export const stepSystem = (
  charts: Charts,
  repertoire: Repertoire,
  contracts: Contracts,
  depth: number,
  origin: StepOrigin,
): System => ({
  name: `a ${origin} step at level ${depth}`,
  kernel: observedKernel({
    root: 'environment',
    machines: { environment: environmentOf('step', 'slot-0'), ...pick(charts, 'step', 'approval') },
  }),
  starts: startsOf(repertoire, depth, origin),
  moves: (frame) => movesOf(contracts, repertoire, frame),
  textOf: runText,
  endOf: endNamer(outcomeName(repertoire.settings)),
  costOfStopped: costOfStopped(contracts),
  detailOfStopped: (call) => detailOfStopped(contracts, call),
  violations: (frame) => [...boundViolations(frame), ...waitingViolations(frame)],
  violationsOfStep: (_before, _move, step) =>
    // The plan decides whether a rejection ends the run.
    rejectionViolations(repertoire.settings.policy, step).filter(({ message }) =>
      message.includes('continues'),
    ),
});

/**
 * The endings of a step that a plan can distinguish. A hand-off to an agent outside the team counts as completed work.
 */
const outcomeName =
  ({ policy, team }: Settings) =>
  (output: unknown): string => {
    const { status, code, request, handOff } = output as StepOutcome;
    if (request !== null) return `${status}, asks for another plan`;
    if (handOff !== null && team.agents.includes(handOff.agent)) {
      return `${status}, hands on to ${handOff.agent}`;
    }
    // A rejection further down is an ordinary failure, unless it ends the run.
    if (code === 'subplan-rejected' && policy.approval.onReject !== 'fail') return status;
    return `${status}${NAMED_CODES[code] ?? ''}`;
  };

const NAMED_CODES: Readonly<Record<string, string>> = {
  rejected: ' (rejected)',
  'approval-expired': ' (rejected)',
  'subplan-rejected': ' (rejected below)',
  'run-ended': ' (run-ended)',
};

const startsOf = (repertoire: Repertoire, depth: number, origin: StepOrigin): Move[] => {
  const { settings } = repertoire;
  return agentsToTell(settings).flatMap((agent) =>
    votesOf(settings, origin).flatMap((votes) =>
      approvalsOf(repertoire, origin).map((approvalQuestion) => {
        const asks = `${approvalQuestion === null ? '' : ' with approval'}${votes === null ? '' : ` by ${votes.count} votes (${votes.choose})`}`;
        const input = inputOf(settings, depth, origin, { agent, votes, approvalQuestion });
        return {
          kind: 'answer' as const,
          label: `The step starts${asks}`,
          input: { kind: 'started' as const, input },
        };
      }),
    ),
  );
};

/** A handed-off step has no votes; the policy decides whether a person must approve it. */
const votesOf = (settings: Settings, origin: StepOrigin): StepInput['votes'][] =>
  origin === 'planned' ? votesToTell(settings) : [null];

const approvalsOf = ({ isHandedOnAsked }: Repertoire, origin: StepOrigin): (string | null)[] =>
  origin === 'planned' || isHandedOnAsked ? [null, 'May it start?'] : [null];

const inputOf = (
  settings: Settings,
  depth: number,
  origin: StepOrigin,
  traits: Pick<StepInput, 'agent' | 'votes' | 'approvalQuestion'>,
): StepInput => {
  const budgetMs = stepBudgetMs(settings.policy, settings.policy.limits.maxSteps);
  return {
    ...traits,
    runId: 'run',
    stepId: Array.from({ length: depth + 1 }, () => 's1').join('/'),
    task: origin === 'planned' ? 'Task' : HANDED_ON,
    position: 'Step 1 of 1',
    goal: 'Goal',
    summary: '',
    depth,
    dependencies: [],
    feedback: [],
    conversation: [],
    budgetMs,
    fixBudgetMs: fixBudgetMs(settings.policy, budgetMs),
    settings,
  };
};

const skipMove = sayMove('answer', 'A person skips the step', {
  type: 'step.skip',
  reason: '',
});

/** Whether the step may have been told that the run ends: a sub-plan receives messages that the step does not keep. */
const isEndAwaited = ({ state, calls }: Frame): boolean =>
  [...calls.values()].some(({ actor }) => actor === 'orchestrator') ||
  [...state.nodes.values()].some(
    ({ chart, snapshot }) => chart === 'step' && (snapshot.context as StepContext).isWindingDown,
  );

const movesOf = (contracts: Contracts, repertoire: Repertoire, frame: Frame): readonly Move[] => {
  const { policy } = repertoire.settings;
  const [heard] = environmentIn(frame).heard;
  if (heard !== undefined) return replyMoves(policy, heard);
  return [
    ...contractMoves(contracts, repertoire, frame),
    ...timerMoves(frame),
    ...questionMoves(frame),
    ...pauseMoves,
    windDownMove,
    skipMove,
    stopMove,
    ...(isEndAwaited(frame) ? [cutOffMove] : []),
    ...refusableIn(contracts, frame).map(refusedMove),
  ];
};

import type { CallResult, ReplanRequest, WorkerAnswer } from '../model/calls.js';
import type { Settings } from '../model/settings.js';
import type { StepFailure, StepOutcome } from '../model/step-outcome.js';
import { hasGate, isGatePassed } from './gates.js';

/** The part of a step that concerns its bounds. */
interface BoundedStep {
  readonly settings: Settings;
  readonly depth: number;
  readonly attempt: number;
  readonly fixCycles: number;
  readonly agentQuestions: number;
  readonly isWindingDown: boolean;
  readonly failure: StepFailure | null;
  /** The agent's request for another plan; null without one. */
  readonly request: ReplanRequest | null;
  readonly handOff: StepOutcome['handOff'];
  readonly budgetMs: number;
  /** What is left of `budgetMs` for the work, as far as it is measured. */
  readonly remainingMs: number;
}

const workerAnswer = (result: CallResult): WorkerAnswer | undefined =>
  result.kind === 'answered' && result.answer.role === 'worker' ? result.answer : undefined;

/** An agent that asks more questions than the policy allows is blocked. */
export const canAskHuman = (context: BoundedStep, result: CallResult): boolean =>
  isAskingHuman(result) && hasQuestionsLeft(context) && !context.isWindingDown;

/** A question above the bound. A run that winds down refuses nothing: it makes no more calls. */
export const isQuestionRefused = (context: BoundedStep, result: CallResult): boolean =>
  isAskingHuman(result) && !hasQuestionsLeft(context) && !context.isWindingDown;

const hasQuestionsLeft = ({ agentQuestions, settings }: BoundedStep): boolean =>
  agentQuestions < settings.policy.approval.maxQuestions;

const isAskingHuman = (result: CallResult): boolean => workerAnswer(result)?.report === 'askHuman';

export const isBlocked = (result: CallResult): boolean =>
  workerAnswer(result)?.report === 'blocked' || isAskingHuman(result);

export const isCallFailed = (result: CallResult): boolean => result.kind === 'failed';

/** Partial work is continued by another plan or agent; it is not reviewed as finished work. */
export const isPartial = ({ request, handOff }: BoundedStep): boolean =>
  request !== null || handOff !== null;

export const needsCodeReview = ({ settings }: BoundedStep): boolean => hasGate(settings, 'code');

export const needsTests = ({ settings }: BoundedStep): boolean => settings.team.hasTester;

export const needsVerification = ({ settings }: BoundedStep): boolean => hasGate(settings, 'step');

export const isCodeAccepted = ({ settings }: BoundedStep, result: CallResult): boolean =>
  isGatePassed(settings, 'code', result);

export const isStepAccepted = ({ settings }: BoundedStep, result: CallResult): boolean =>
  isGatePassed(settings, 'step', result);

/* A run that winds down lets a step finish its current call: no fix, attempt or retry follows. */

export const canFix = ({ fixCycles, isWindingDown, settings }: BoundedStep): boolean =>
  !isWindingDown && fixCycles < settings.policy.limits.maxFixCycles;

/** The policy allows fixes, and none is left. */
export const isFixRefused = (context: BoundedStep): boolean =>
  context.failure !== null &&
  !context.isWindingDown &&
  context.settings.policy.limits.maxFixCycles > 0 &&
  !canFix(context);

export const canAttemptAgain = ({ attempt, isWindingDown, settings }: BoundedStep): boolean =>
  !isWindingDown && attempt < settings.policy.limits.maxAttempts;

/** The code of an attempt whose tests could not be run. */
export const TESTS_UNAVAILABLE = 'tests-unavailable';

/** A sub-plan does what one agent could not do. It cannot replace a tester that is unavailable. */
export const canSubplan = (context: BoundedStep): boolean =>
  !context.isWindingDown && mayHaveSubplan(context) && context.failure?.code !== TESTS_UNAVAILABLE;

/** The code of an attempt whose votes gave no answer a majority. */
export const NO_MAJORITY = 'no-majority';

/** All votes are cast, no answer has a majority, and no further attempt may vote again. */
export const isVoteRefused = ({ failure, isWindingDown }: BoundedStep): boolean =>
  failure?.code === NO_MAJORITY && !isWindingDown;

/** The policy allows sub-plans, but not this deep. */
export const isSubplanRefused = ({
  depth,
  isWindingDown,
  failure,
  settings: { team, policy },
}: BoundedStep): boolean =>
  !isWindingDown &&
  team.hasPlanner &&
  policy.limits.maxDepth > 0 &&
  depth >= policy.limits.maxDepth &&
  failure?.code !== TESTS_UNAVAILABLE;

const mayHaveSubplan = ({ depth, settings }: BoundedStep): boolean =>
  settings.team.hasPlanner && depth < settings.policy.limits.maxDepth;

/**
 * Whether a step tells its sub-plan that its time is running out: only where steps have a share of the time. Without
 * shares, and below the first level, the clock of the run above tells it.
 */
export const hasDeadline = (context: BoundedStep): boolean =>
  hasShare(context) && mayHaveSubplan(context);

const hasShare = ({ depth, settings }: BoundedStep): boolean =>
  depth === 0 && settings.policy.time.stepShare;

/** The work of a step is timed in tenths of its budget: charts read no clock, they count delays. */
export const tickMs = ({ budgetMs }: BoundedStep): number => Math.max(1, Math.floor(budgetMs / 10));

/**
 * Whether the work is timed in tenths of its budget: only where a step has a share of the time, and only while a
 * question could interrupt the work, or a sub-plan take over, and continue with the rest. The last tenth is never
 * subtracted.
 */
export const isTimeMeasured = (context: BoundedStep): boolean =>
  hasShare(context) &&
  (hasQuestionsLeft(context) || mayHaveSubplan(context)) &&
  context.remainingMs >= 2 * tickMs(context);

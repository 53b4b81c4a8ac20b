import type { CallResult, WorkerAnswer } from '../actors/call.types.js';
import type { StepContext } from '../machines/step.types.js';
import { hasGate, isGatePassed } from './gates.js';

const workerAnswer = (result: CallResult): WorkerAnswer | undefined =>
  result.kind === 'answered' && result.answer.role === 'worker' ? result.answer : undefined;

/** An agent that asks more than the policy allows is blocked. */
export const canAskHuman = (context: StepContext, result: CallResult): boolean =>
  isAskingHuman(result) && hasQuestionsLeft(context) && !context.isWindingDown;

const hasQuestionsLeft = ({ agentQuestions, settings }: StepContext): boolean =>
  agentQuestions < settings.policy.approval.maxQuestions;

const isAskingHuman = (result: CallResult): boolean => workerAnswer(result)?.report === 'askHuman';

export const isBlocked = (result: CallResult): boolean =>
  workerAnswer(result)?.report === 'blocked' || isAskingHuman(result);

export const isCallFailed = (result: CallResult): boolean => result.kind === 'failed';

/** Partial work goes on by another plan or agent; it is not reviewed as if it were finished. */
export const isPartial = (result: CallResult): boolean => {
  const report = workerAnswer(result)?.report;
  return report === 'needsContext' || report === 'handOff' || report === 'requestReplan';
};

export const needsCodeReview = ({ settings }: StepContext): boolean => hasGate(settings, 'code');

export const needsTests = ({ settings }: StepContext): boolean => settings.team.hasTester;

export const needsVerification = ({ settings }: StepContext): boolean => hasGate(settings, 'step');

export const isCodeAccepted = ({ settings }: StepContext, result: CallResult): boolean =>
  isGatePassed(settings, 'code', result);

export const isStepAccepted = ({ settings }: StepContext, result: CallResult): boolean =>
  isGatePassed(settings, 'step', result);

export const areTestsPassing = (result: CallResult): boolean =>
  result.kind === 'answered' && result.answer.role === 'tester' && result.answer.passed;

/* A run that winds down lets a step finish what it has begun: nothing is tried once more. */

export const canFix = ({ fixCycles, isWindingDown, settings }: StepContext): boolean =>
  !isWindingDown && fixCycles < settings.policy.limits.maxFixCycles;

export const canAttemptAgain = ({ attempt, isWindingDown, settings }: StepContext): boolean =>
  !isWindingDown && attempt < settings.policy.limits.maxAttempts;

/** The code of an attempt whose tests nobody could run. */
export const TESTS_UNAVAILABLE = 'tests-unavailable';

/** A sub-plan does what an agent could not do; a tester that is down would be down there, too. */
export const canSubplan = (context: StepContext): boolean =>
  !context.isWindingDown && mayHaveSubplan(context) && context.failure?.code !== TESTS_UNAVAILABLE;

const mayHaveSubplan = ({ depth, settings }: StepContext): boolean =>
  settings.team.hasPlanner && depth < settings.policy.limits.maxDepth;

/**
 * Whether a sub-plan has to be told when the time of its step gets short: where steps have a share of the time. Without
 * shares, and below the plan of the goal, the clock above it tells it.
 */
export const hasDeadline = (context: StepContext): boolean =>
  hasShare(context) && mayHaveSubplan(context);

const hasShare = ({ depth, settings }: StepContext): boolean =>
  depth === 0 && settings.policy.time.stepShare;

/** The work of a step is timed in tenths of its budget: charts read no clock, they count delays. */
export const tickMs = ({ budgetMs }: StepContext): number => Math.max(1, Math.floor(budgetMs / 10));

/**
 * Whether the work is timed in tenths of its budget: only where a step has a share of the time, and only while a
 * question could still interrupt the work, or a sub-plan take over, and go on with what is left. The last tenth is
 * never taken away.
 */
export const isTimeMeasured = (context: StepContext): boolean =>
  hasShare(context) &&
  (hasQuestionsLeft(context) || mayHaveSubplan(context)) &&
  context.remainingMs >= 2 * tickMs(context);

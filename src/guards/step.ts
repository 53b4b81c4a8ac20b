import type { CallResult, WorkerAnswer } from '../actors/call.types.js';
import type { StepContext } from '../machines/step.types.js';
import { hasGate, isGatePassed } from './gates.js';

const workerAnswer = (result: CallResult): WorkerAnswer | undefined =>
  result.kind === 'answered' && result.answer.role === 'worker' ? result.answer : undefined;

/** An agent that asks more than the policy allows is blocked. */
export const canAskHuman = (
  { agentQuestions, settings }: StepContext,
  result: CallResult,
): boolean => isAskingHuman(result) && agentQuestions < settings.policy.approval.maxQuestions;

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

export const canFix = ({ fixCycles, settings }: StepContext): boolean =>
  fixCycles < settings.policy.limits.maxFixCycles;

export const canAttemptAgain = ({ attempt, settings }: StepContext): boolean =>
  attempt < settings.policy.limits.maxAttempts;

export const canSubplan = ({ depth, settings }: StepContext): boolean =>
  settings.team.hasPlanner && depth < settings.policy.limits.maxDepth;

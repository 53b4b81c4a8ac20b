import { STEP_TIME_CODES } from '../../../guards/schedule.js';
import { NO_MAJORITY, TESTS_UNAVAILABLE } from '../../../guards/step.js';
import type { StepContext } from '../../../machines/step/context.js';
import type { Ballot } from '../../../model/step-outcome.js';
import { flag } from './value-text.js';

/** Failure codes that guards check; all others are equivalent. */
const SEEN_CODES: ReadonlySet<string> = new Set([
  TESTS_UNAVAILABLE,
  NO_MAJORITY,
  'run-ended',
  'rejected',
  'approval-expired',
  'subplan-rejected',
  'skipped',
]);

/** What the guards of the step chart, and of its plan, can see of a step. */
export const stepText = (context: StepContext): string =>
  [
    `${context.attempt}.${context.fixCycles}.${context.agentQuestions}`,
    flag(context.question !== null),
    flag(context.isWindingDown),
    pauseText(context),
    ballotsText(context),
    failureText(context),
    wishText(context),
    confidenceText(context),
    flag(context.settings.team.fallbacks.includes(context.agent)),
  ].join(',');

/** A pause is visible to a sub-plan that starts during it. */
const pauseText = ({ isPaused, depth, settings: { team, policy } }: StepContext): string =>
  flag(isPaused && team.hasPlanner && depth < policy.limits.maxDepth);

/** Which ballots agree, not their content. */
const ballotsText = ({ votes, ballots, settings }: StepContext): string => {
  if (votes === null) return '';
  const names = new Map<string, number>();
  const below = settings.policy.approval.confidenceBelow;
  const nameOf = ({ digest, confidence }: Ballot): string => {
    if (digest === null) return 'x';
    const name = names.get(digest) ?? names.size;
    names.set(digest, name);
    return `${name}${bandOf(confidence, below)}`;
  };
  return `${votes.count}${votes.choose}:${ballots.map(nameOf).join('')}`;
};

const failureText = ({ failure }: StepContext): string => {
  if (failure === null) return '';
  if (STEP_TIME_CODES.includes(failure.code)) return 'time';
  return SEEN_CODES.has(failure.code) ? failure.code : 'failed';
};

const wishText = ({ request, handOff, settings }: StepContext): string => {
  if (request !== null) return 'replan';
  if (handOff === null) return '';
  return settings.team.agents.includes(handOff.agent)
    ? `to ${handOff.agent}`
    : 'to an unknown agent';
};

const confidenceText = ({ confidence, settings }: StepContext): string =>
  bandOf(confidence, settings.policy.approval.confidenceBelow);

/** A confidence is compared with one number only. */
export const bandOf = (confidence: number | null, below: number | null): string => {
  if (below === null || confidence === null) return '';
  return confidence < below ? '-' : '+';
};

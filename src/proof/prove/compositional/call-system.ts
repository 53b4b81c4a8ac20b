import type { CallResult } from '../../../model/calls.js';
import type { AgentCallInput } from '../../../machines/agent-call/chart.js';
import { callSettings } from '../../../machines/call-settings.js';
import type { Settings } from '../../../model/settings.js';
import { NOTHING } from '../metrics.js';
import type { Frame, Move, System } from '../model.types.js';
import { answerMove, brokenMove } from '../moves/call-answers.js';
import { timerMoves } from '../moves/timers.js';
import { observedKernel } from '../observed-kernel.js';
import { runText } from '../projection/run-text.js';
import { boundViolations } from '../rules/bound-rules.js';
import { waitingViolations } from '../rules/waiting-rules.js';
import type { Charts } from '../whole-run.js';
import { endNamer, OUT_OF_BUDGET } from './contract.js';
import { environmentOf } from './environment.js';
import {
  environmentIn,
  pauseMoves,
  refusedMove,
  replyMoves,
  stopMove,
  windDownMove,
} from './environment-moves.js';

/** The properties of a call that the calling chart can distinguish. */
export interface CallVariant {
  readonly hasFallback: boolean;
  readonly isWindingDown: boolean;
}

export const callVariants = (isFallingBack: boolean): CallVariant[] =>
  [false, true].flatMap((isWindingDown) => [
    { hasFallback: false, isWindingDown },
    ...(isFallingBack ? [{ hasFallback: true, isWindingDown }] : []),
  ]);

export const callVariantOf = ({ hasFallback, isWindingDown }: CallVariant): string =>
  `a call${hasFallback ? ' with a fallback' : ''}${isWindingDown ? ' at the end' : ''}`;

/** The agentCall chart, alone, against every outcome of every try. */
export const callSystem = (
  charts: Charts,
  settings: Settings,
  variant: CallVariant,
  isBudgeted: boolean,
): System => ({
  name: callVariantOf(variant),
  kernel: observedKernel({
    root: 'environment',
    machines: {
      environment: environmentOf('agentCall', 'agentCall'),
      ...pick(charts, 'agentCall'),
    },
  }),
  starts: [
    {
      kind: 'answer',
      label: 'The call is made',
      input: { kind: 'started', input: inputOf(settings, variant) },
    },
  ],
  moves: (frame) => movesOf(settings, frame, isBudgeted),
  textOf: runText,
  endOf: endNamer(resultName),
  costOfStopped: () => NOTHING,
  violations: (frame) => [...boundViolations(frame), ...waitingViolations(frame)],
  violationsOfStep: () => [],
});

export const pick = (charts: Charts, ...names: readonly string[]): Charts =>
  Object.fromEntries(Object.entries(charts).filter(([name]) => names.includes(name)));

/** Failure codes at the end of the run are distinguished from other failures. */
const resultName = (output: unknown): string => {
  const result = output as CallResult;
  if (result.kind === 'answered') return 'answered';
  return result.code === 'run-ended' || result.code === OUT_OF_BUDGET ? result.code : 'failed';
};

const inputOf = (
  settings: Settings,
  { hasFallback, isWindingDown }: CallVariant,
): AgentCallInput => ({
  ...callSettings(settings, {
    role: 'worker',
    key: 'run/s1/1/worker',
    agent: settings.team.agents[0] ?? '',
    stepId: 's1',
    goal: 'Goal',
    depth: 0,
    mode: 'work',
    vote: null,
    step: { id: 's1', task: 'Task', position: 'Step 1 of 1', attempt: 1 },
    dependencies: [],
    feedback: [],
    conversation: [],
    summary: '',
  }),
  hasFallback,
  isWindingDown,
});

const movesOf = ({ policy }: Settings, frame: Frame, isBudgeted: boolean): readonly Move[] => {
  const [heard] = environmentIn(frame).heard;
  if (heard !== undefined) {
    return [...replyMoves(policy, heard), ...(isBudgeted ? [refusedMove()] : [])];
  }
  return [...outcomes(frame), ...timerMoves(frame), ...pauseMoves, windDownMove, stopMove];
};

const outcomes = (frame: Frame): Move[] =>
  [...frame.calls.keys()].flatMap((address) => [
    answerMove(frame, address, 'it is answered', {
      kind: 'answered',
      answer: { role: 'worker', report: 'done', confidence: null },
      output: 'work',
      usage: null,
    }),
    answerMove(frame, address, 'it fails', { kind: 'failed', code: 'threw', reason: 'It failed' }),
    answerMove(frame, address, 'it fails for good', {
      kind: 'failed',
      code: 'unknown-agent',
      reason: 'Nobody there',
    }),
    brokenMove(frame, address),
  ]);

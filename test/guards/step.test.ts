import { describe, expect, it } from 'vitest';

import type { CallResult, WorkerAnswer } from '../../src/model/calls.js';
import * as guards from '../../src/guards/step.js';
import { noAnswer, scored, settingsWith, stepContextWith, tested, worked } from './contexts.js';

const ANSWERS: Readonly<Record<WorkerAnswer['report'], WorkerAnswer>> = {
  done: { role: 'worker', report: 'done', confidence: null },
  needsContext: { role: 'worker', report: 'needsContext', suggestion: 'More', confidence: null },
  handOff: { role: 'worker', report: 'handOff', agent: 'b', task: 'Do it', confidence: null },
  requestReplan: {
    role: 'worker',
    report: 'requestReplan',
    reason: 'Another way',
    agents: [],
    confidence: null,
  },
  blocked: { role: 'worker', report: 'blocked', reason: 'Stuck' },
  askHuman: { role: 'worker', report: 'askHuman', question: 'How?', payload: null },
};

const RESULTS: readonly CallResult[] = [
  ...Object.values(ANSWERS).map(worked),
  scored(100),
  tested(true),
  tested(false),
  noAnswer,
];

const reportsThat = (judge: (result: CallResult) => boolean): string[] =>
  Object.values(ANSWERS)
    .filter((answer) => judge(worked(answer)))
    .map((answer) => answer.report);

describe('the effect of an answer on a step', () => {
  it('partial work continues by another plan or agent', () => {
    const handOff = { agent: 'reviewer', task: 'Go on' };
    const request = {
      kind: 'needsContext',
      stepId: 'a',
      agent: 'worker',
      reason: '',
      agents: [],
      confidence: null,
    } as const;
    expect(guards.isPartial(stepContextWith())).toBe(false);
    expect(guards.isPartial(stepContextWith({ handOff }))).toBe(true);
    expect(guards.isPartial(stepContextWith({ request }))).toBe(true);
  });

  it('a step is blocked by a blocked answer, and by a question that may not be asked', () => {
    expect(reportsThat(guards.isBlocked)).toEqual(['blocked', 'askHuman']);
  });

  it('a question may be asked as often as the policy allows', () => {
    const settings = settingsWith({ approval: { maxQuestions: 2 } });
    const asked = [0, 1, 2, 3].map((agentQuestions) =>
      guards.canAskHuman(stepContextWith({ agentQuestions }, settings), worked(ANSWERS.askHuman)),
    );
    expect(asked).toEqual([true, true, false, false]);
    expect(reportsThat((result) => guards.canAskHuman(stepContextWith(), result))).toEqual([
      'askHuman',
    ]);
  });

  it('a gate passes only by a verdict of the supervisor', () => {
    const context = stepContextWith({}, settingsWith({ gates: { code: 60, step: 70 } }));
    expect(RESULTS.filter((result) => guards.isCodeAccepted(context, result))).toEqual([
      scored(100),
    ]);
    expect(RESULTS.filter((result) => guards.isStepAccepted(context, result))).toEqual([
      scored(100),
    ]);
  });

  it('a call has failed when there is no answer at all', () => {
    expect(RESULTS.filter(guards.isCallFailed)).toEqual([noAnswer]);
  });
});

describe('the remaining options of a step', () => {
  const settings = settingsWith({ limits: { maxFixCycles: 2, maxAttempts: 3, maxDepth: 1 } });

  it('are bounded by the policy', () => {
    const allowed = (judge: (count: number) => boolean): number[] => [0, 1, 2, 3, 4].filter(judge);
    expect(allowed((fixCycles) => guards.canFix(stepContextWith({ fixCycles }, settings)))).toEqual(
      [0, 1],
    );
    expect(
      allowed((attempt) => guards.canAttemptAgain(stepContextWith({ attempt }, settings))),
    ).toEqual([0, 1, 2]);
    expect(allowed((depth) => guards.canSubplan(stepContextWith({ depth }, settings)))).toEqual([
      0,
    ]);
  });

  it('are to finish its current call when the run winds down', () => {
    const ending = stepContextWith({ isWindingDown: true }, settings);
    for (const judge of [guards.canFix, guards.canAttemptAgain, guards.canSubplan]) {
      expect(judge({ ...ending, isWindingDown: false })).toBe(true);
      expect(judge(ending)).toBe(false);
    }
    expect(guards.canAskHuman(ending, worked(ANSWERS.askHuman))).toBe(false);
  });

  it('include its remaining time, where it has a share and may be interrupted, down to the last tenth', () => {
    const share = { time: { stepShare: true }, approval: { maxQuestions: 2 } } as const;
    const timed = stepContextWith(
      { budgetMs: 1_000, remainingMs: 1_000 },
      settingsWith({ ...share, limits: { maxDepth: 0 } }),
    );
    expect(guards.tickMs(timed)).toBe(100);
    expect(guards.tickMs({ ...timed, budgetMs: 3 })).toBe(1);
    expect(guards.isTimeMeasured(timed)).toBe(true);
    expect(guards.isTimeMeasured({ ...timed, remainingMs: 200 })).toBe(true);
    expect(guards.isTimeMeasured({ ...timed, remainingMs: 199 })).toBe(false);
    expect(guards.isTimeMeasured({ ...timed, agentQuestions: 2 })).toBe(false);
    const subplanned = settingsWith({ ...share, limits: { maxDepth: 1 } });
    expect(guards.isTimeMeasured({ ...timed, agentQuestions: 2, settings: subplanned })).toBe(true);
    expect(guards.isTimeMeasured({ ...timed, depth: 1 })).toBe(false);
    expect(guards.isTimeMeasured({ ...timed, settings: settingsWith() })).toBe(false);
  });

  it('include a deadline for a sub-plan where it has a share of the time and may have one', () => {
    const share = { time: { stepShare: true } } as const;
    const shared = stepContextWith({}, settingsWith({ ...share, limits: { maxDepth: 2 } }));
    expect(guards.hasDeadline(shared)).toBe(true);
    expect(guards.hasDeadline({ ...shared, depth: 1 })).toBe(false);
    expect(guards.hasDeadline({ ...shared, settings: settingsWith() })).toBe(false);
    expect(
      guards.hasDeadline({ ...shared, settings: settingsWith(share, { hasPlanner: false }) }),
    ).toBe(false);
  });

  it('include no sub-plan when only the tester failed', () => {
    const failure = { code: guards.TESTS_UNAVAILABLE, reason: 'Down' };
    expect(guards.canSubplan(stepContextWith({ failure }, settings))).toBe(false);
    expect(guards.canAttemptAgain(stepContextWith({ failure }, settings))).toBe(true);
  });

  it('include a sub-plan only with a planner', () => {
    const alone = settingsWith({}, { hasPlanner: false });
    expect(guards.canSubplan(stepContextWith({}, alone))).toBe(false);
  });

  it('include the stages that the policy and the team have', () => {
    const all = stepContextWith({}, settingsWith({ gates: { code: 0, step: 0 } }));
    const none = stepContextWith({}, settingsWith({}, { hasTester: false }));
    for (const stage of [guards.needsCodeReview, guards.needsTests, guards.needsVerification]) {
      expect(stage(all)).toBe(true);
      expect(stage(none)).toBe(false);
    }
  });
});

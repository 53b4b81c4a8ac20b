import { describe, expect, it } from 'vitest';

import type { AgentCall } from '../../src/agents/agent.js';
import { defineAgent } from '../../src/agents/agent.js';
import {
  askHuman,
  blocked,
  done,
  handOff,
  needsContext,
  requestReplan,
} from '../../src/agents/report.js';
import { PlanError } from '../../src/errors.js';
import type { Votes } from '../../src/model/plan.js';
import { createOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import { presets } from '../../src/policy/presets.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import { after } from './by-step.js';
import type { ScenarioResult, ScenarioSetup } from './harness.js';
import { scenario } from './harness.js';
import { plannerInTurn, toldBy } from './planners.js';
import { feedbackTexts, inTurn, scriptedAgent } from './scripted.js';
import type { TestAgent } from './team.js';
import { agentNamed, steps } from './team.js';

const majority = (count: number): Votes => ({ count, choose: 'majority' });
const surest = (count: number): Votes => ({ count, choose: 'bestConfidence' });

const votedOn = (votes: Votes, ...texts: readonly string[]) =>
  steps(...texts).map((step) => ({ ...step, votes }));

/** One attempt, one try, no sub-plan: the result of the vote is the result of the step. */
const oneGo: PolicyOverrides = {
  limits: { maxVotes: 9, maxAttempts: 1, maxDepth: 0 },
  retry: { attempts: 1 },
};

const withLimits = (limits: PolicyOverrides['limits']): PolicyOverrides => ({
  ...oneGo,
  limits: { ...oneGo.limits, ...limits },
});

/** One step that is voted on, by an agent that gives one answer after the other. */
const vote = (
  votes: Votes,
  answers: readonly unknown[],
  policy: PolicyOverrides = oneGo,
): ScenarioSetup => ({
  options: { agents: [scriptedAgent('worker', ...answers)], policy: definePolicy(policy) },
  start: { plan: { steps: votedOn(votes, 'a') } },
});

const keysOf = ({ factsOf }: ScenarioResult): string[] =>
  factsOf('agent.called').map((fact) => fact.key);

/** `2:0.5` for the second vote with a confidence of 0.5. */
const castIn = ({ factsOf }: ScenarioResult): string[] =>
  factsOf('vote.cast').map(({ number, confidence }) => `${number}:${confidence ?? ''}`);

const decidedIn = ({ factsOf }: ScenarioResult): unknown[] =>
  factsOf('vote.decided').map(({ cast, winner, counts }) => [
    cast,
    winner,
    counts.map((side) => side.votes),
  ]);

describe('a majority vote', () => {
  scenario(
    'stops as soon as it is decided, and saves the remaining calls',
    () => ({
      options: {
        agents: [
          agentNamed('worker', ({ step }) => ({
            told: [step.vote?.of, Object.isFrozen(step.vote)],
          })),
        ],
        policy: definePolicy(oneGo),
      },
      start: { plan: { steps: votedOn(majority(5), 'a') } },
    }),
    (result) => {
      const { report, factsOf } = result;
      expect(keysOf(result)).toEqual(['run/a/1/worker', 'run/a/1/worker.v2', 'run/a/1/worker.v3']);
      const [first] = factsOf('vote.cast');
      expect(factsOf('vote.cast', 'vote.decided')).toEqual([
        ...[1, 2, 3].map((number) => ({ ...first, number, key: keysOf(result)[number - 1] })),
        {
          type: 'vote.decided',
          stepId: 'a',
          choose: 'majority',
          of: 5,
          cast: 3,
          winner: 1,
          counts: [{ digest: first?.digest, votes: 3 }],
        },
      ]);
      expect(report).toMatchObject({ status: 'completed', reason: 'all-steps-completed' });
      expect(report.steps[0]).toMatchObject({
        output: { told: [5, true] },
        outputKeys: ['run/a/1/worker'],
        attempts: 1,
        votes: { choose: 'majority', of: 5, isDecided: true, winner: 1 },
      });
      expect(report.steps[0]?.votes?.cast.map(({ number, key }) => [number, key])).toEqual([
        [1, 'run/a/1/worker'],
        [2, 'run/a/1/worker.v2'],
        [3, 'run/a/1/worker.v3'],
      ]);
    },
  );

  scenario(
    'is won by two of three, whatever the order of their keys, with the output of the first of them',
    () =>
      vote(majority(3), [
        done('another', { confidence: 1 }),
        done({ x: 1, y: [2] }, { confidence: 0.4 }),
        done({ y: [2], x: 1 }, { confidence: 0.6 }),
      ]),
    (result) => {
      expect(castIn(result)).toEqual(['1:1', '2:0.4', '3:0.6']);
      expect(decidedIn(result)).toEqual([[3, 2, [1, 2]]]);
      expect(result.report.steps[0]).toMatchObject({
        status: 'completed',
        output: { x: 1, y: [2] },
        outputKeys: ['run/a/1/worker.v2'],
      });
      expect(Object.keys(result.report.steps[0]?.output as object)).toEqual(['x', 'y']);
    },
  );

  scenario(
    'has the highest confidence of the winning side',
    () => ({
      options: {
        agents: [
          scriptedAgent(
            'worker',
            done('yes', { confidence: 0.5 }),
            done('no', { confidence: 0.1 }),
            done('yes', { confidence: 0.8 }),
          ),
        ],
        policy: definePolicy({ ...oneGo, approval: { confidenceBelow: 0.7 } }),
      },
      start: { plan: { steps: [...votedOn(majority(3), 'a'), ...steps('b<a')] } },
    }),
    ({ report }) => {
      expect(report.approvals).toEqual([]);
      expect(report.successfulSteps).toEqual(['a', 'b']);
    },
  );

  scenario(
    'without a majority fails the step with its own reason',
    () => vote(majority(3), ['x', 'y', 'z']),
    (result) => {
      expect(decidedIn(result)).toEqual([[3, null, [1, 1, 1]]]);
      expect(result.report.steps[0]).toMatchObject({
        status: 'failed',
        code: 'no-majority',
        reason: 'No answer has more than half of the 3 votes: 1, 1, 1',
        output: null,
        votes: { isDecided: true, winner: null },
      });
    },
  );

  for (const [count, answers, calls] of [
    [5, ['v', 'w', 'x', 'y', 'y'], 4],
    [4, ['x', 'y', 'x', 'x'], 4],
    [4, ['x', 'y', 'z', 'x'], 3],
    [2, ['x', 'y'], 2],
  ] as const) {
    const isWon = calls === answers.length && answers.filter((answer) => answer === 'x').length > 2;
    scenario(
      `of ${count} ends after ${calls} of ${answers.join(' ')}, when it is ${isWon ? 'won' : 'out of reach'}`,
      () => vote(majority(count), answers),
      (result) => {
        expect(keysOf(result)).toHaveLength(calls);
        expect(result.report.steps[0]?.code).toBe(isWon ? null : 'no-majority');
      },
    );
  }

  scenario(
    'counts a call that fails as no vote',
    () => vote(majority(3), [new Error('down'), 'x', 'x']),
    (result) => {
      expect(keysOf(result)).toHaveLength(3);
      expect(castIn(result)).toEqual(['2:', '3:']);
      expect(decidedIn(result)).toEqual([[2, 2, [2]]]);
      expect(result.report.steps[0]).toMatchObject({
        status: 'completed',
        outputKeys: ['run/a/1/worker.v2'],
      });
    },
  );

  scenario(
    'needs a majority of all requested votes: one vote of three is not enough',
    () => vote(majority(3), ['x', new Error('down'), new Error('down')]),
    (result) => {
      expect(decidedIn(result)).toEqual([[1, null, [1]]]);
      expect(result.report.steps[0]?.code).toBe('no-majority');
    },
  );

  scenario(
    'without any vote fails as its last call did, as soon as a majority is out of reach',
    () => vote(majority(3), [new Error('first'), new Error('second'), 'x']),
    (result) => {
      expect(keysOf(result)).toEqual(['run/a/1/worker', 'run/a/1/worker.v2']);
      expect(result.factsOf('vote.cast', 'vote.decided')).toEqual([]);
      expect(result.report.steps[0]).toMatchObject({
        status: 'failed',
        code: 'threw',
        reason: 'Error: second',
        attempts: 1,
        votes: null,
      });
    },
  );

  scenario(
    'counts the answers of a fallback, also the answer null',
    () => {
      const worker = defineAgent({
        name: 'worker',
        description: 'Breaks',
        run: () => {
          throw new Error('down');
        },
        fallback: () => null,
      });
      return {
        ...vote(majority(3), []),
        options: { agents: [worker], policy: definePolicy(oneGo) },
      };
    },
    (result) => {
      expect(result.factsOf('vote.cast').map(({ key }) => key)).toEqual([
        'run/a/1/worker#fallback',
        'run/a/1/worker.v2#fallback',
      ]);
      expect(result.report.steps[0]).toMatchObject({ status: 'completed', output: null });
    },
  );
});

describe('a vote by confidence', () => {
  const sure = (output: string, confidence?: number): unknown =>
    done(output, confidence === undefined ? {} : { confidence });

  for (const [name, answers, winner] of [
    ['the surest', [sure('x', 0.2), sure('y', 0.9), sure('z', 0.3)], 2],
    ['the first of several that are as sure', [sure('x', 0.2), sure('y', 0.9), sure('z', 0.9)], 2],
    ['one that says how sure it is', [sure('x'), sure('y', 0), sure('z')], 2],
    ['the first when no answer has a confidence', [sure('x'), sure('y'), sure('z')], 1],
    ['one that answers at all', [new Error('down'), new Error('down'), sure('z', 0)], 3],
  ] as const) {
    scenario(
      `takes all votes and is won by ${name}`,
      () => vote(surest(3), answers),
      (result) => {
        expect(keysOf(result)).toHaveLength(3);
        expect(result.factsOf('vote.decided')).toMatchObject([
          { choose: 'bestConfidence', of: 3, winner },
        ]);
        expect(result.report.steps[0]).toMatchObject({
          status: 'completed',
          output: ['x', 'y', 'z'][winner - 1],
        });
      },
    );
  }

  scenario(
    'makes every call before it fails as its last call did',
    () => vote(surest(3), [new Error('first'), new Error('second'), new Error('third')]),
    (result) => {
      expect(keysOf(result)).toHaveLength(3);
      expect(result.report.steps[0]).toMatchObject({ code: 'threw', reason: 'Error: third' });
    },
  );
});

describe('an attempt without a majority', () => {
  scenario(
    'is followed by another with its own votes and keys',
    () => vote(majority(3), ['x', 'y', 'z', 'x', 'y', 'y'], withLimits({ maxAttempts: 2 })),
    (result) => {
      expect(keysOf(result)).toEqual([
        'run/a/1/worker',
        'run/a/1/worker.v2',
        'run/a/1/worker.v3',
        'run/a/2/worker',
        'run/a/2/worker.v2',
        'run/a/2/worker.v3',
      ]);
      expect(result.factsOf('step.retried')).toMatchObject([
        { attempt: 2, reason: 'No answer has more than half of the 3 votes: 1, 1, 1' },
      ]);
      expect(decidedIn(result)).toEqual([
        [3, null, [1, 1, 1]],
        [3, 2, [1, 2]],
      ]);
      expect(result.report.steps[0]).toMatchObject({
        status: 'completed',
        attempts: 2,
        output: 'y',
        outputKeys: ['run/a/2/worker.v2'],
      });
      expect(result.report.steps[0]?.votes).toMatchObject({ winner: 2 });
      expect(result.report.steps[0]?.votes?.cast).toHaveLength(3);
    },
  );

  scenario(
    'is followed by a sub-plan, whose steps may be voted on too',
    () => {
      const next = inTurn('x', 'y', 'z');
      return {
        options: {
          agents: [agentNamed('worker', (call) => (call.step.depth > 0 ? 'deep' : next(call)))],
          planner: plannerInTurn(
            { steps: votedOn(majority(3), 'a') },
            { steps: votedOn(majority(2), 'part') },
          ),
          policy: definePolicy(withLimits({ maxDepth: 1 })),
        },
      };
    },
    (result) => {
      expect(keysOf(result).slice(-2)).toEqual(['run/a/part/1/worker', 'run/a/part/1/worker.v2']);
      expect(result.report.steps).toMatchObject([
        { id: 'a', status: 'completed', output: 'deep', votes: { winner: null } },
        { id: 'a/part', status: 'completed', votes: { winner: 1 } },
      ]);
    },
  );
});

describe('a vote that is interrupted', () => {
  scenario(
    'by a blocked agent ends, and the next attempt votes from the start',
    () => vote(majority(3), ['x', blocked('No way'), 'y', 'y'], withLimits({ maxAttempts: 2 })),
    (result) => {
      expect(keysOf(result)).toEqual([
        'run/a/1/worker',
        'run/a/1/worker.v2',
        'run/a/2/worker',
        'run/a/2/worker.v2',
      ]);
      expect(decidedIn(result)).toEqual([[2, 1, [2]]]);
      expect(result.report.steps[0]).toMatchObject({ status: 'completed', output: 'y' });
      expect(result.report.steps[0]?.votes?.cast.map(({ key }) => key)).toEqual([
        'run/a/2/worker',
        'run/a/2/worker.v2',
      ]);
    },
  );

  for (const [report, kind] of [
    [needsContext('More', 'half'), 'needsContext'],
    [requestReplan({ reason: 'Another way' }, 'half'), 'requestReplan'],
  ] as const) {
    scenario(
      `by ${kind} ends, with the same effect as without a vote`,
      () => ({
        options: {
          agents: [scriptedAgent('worker', 'x', report, 'y')],
          planner: plannerInTurn({ steps: votedOn(majority(3), 'a') }, ['b']),
          policy: definePolicy(oneGo),
        },
      }),
      (result) => {
        expect(keysOf(result).filter((key) => !key.includes('planner'))).toEqual([
          'run/a/1/worker',
          'run/a/1/worker.v2',
          'run/b_rp1/1/worker',
        ]);
        expect(result.factsOf('vote.decided')).toEqual([]);
        expect(result.factsOf('replan.requested')).toMatchObject([{ kind, stepId: 'a' }]);
        expect(result.report.steps[0]).toMatchObject({
          status: 'completed',
          output: 'half',
          outputKeys: ['run/a/1/worker.v2'],
          votes: { isDecided: false, winner: null },
        });
      },
    );
  }

  scenario(
    'by a hand-off ends, and the step is added',
    () => vote(majority(3), ['x', handOff({ agent: 'worker', task: 'Go on' }, 'half'), 'y']),
    (result) => {
      expect(result.factsOf('vote.decided')).toEqual([]);
      expect(result.report.steps).toMatchObject([
        { id: 'a', output: 'half' },
        { id: 'worker_rp1', output: 'y', votes: null },
      ]);
    },
  );

  const asking = askHuman({ question: 'Which one?' });

  scenario(
    'by a question ends, and all votes are taken again with the answer',
    () => ({
      options: {
        agents: [scriptedAgent('worker', 'x', asking, feedbackTexts)],
        policy: definePolicy(oneGo),
      },
      start: { plan: { steps: votedOn(majority(3), 'a') } },
      onFact: (fact, control) => {
        if (fact.type === 'approval.requested') control.approve(fact.requestId, 'The red one');
      },
    }),
    (result) => {
      expect(keysOf(result)).toEqual([
        'run/a/1/worker',
        'run/a/1/worker.v2',
        'run/a/1/worker.q1',
        'run/a/1/worker.q1.v2',
      ]);
      expect(decidedIn(result)).toEqual([[2, 1, [2]]]);
      expect(result.report.steps[0]).toMatchObject({
        output: ['human: The red one'],
        attempts: 1,
        votes: { winner: 1, cast: [{ number: 1 }, { number: 2 }] },
      });
    },
  );

  scenario(
    'by one question too many is blocked',
    () => vote(majority(3), ['x', asking, asking], { ...oneGo, approval: { maxQuestions: 0 } }),
    (result) => {
      expect(keysOf(result)).toHaveLength(2);
      expect(result.report.steps[0]?.code).toBe('blocked');
    },
  );
});

describe('a vote that needs approval', () => {
  const careful = (answer: 'approve' | 'reject'): ScenarioSetup => ({
    options: {
      agents: [scriptedAgent('architect', 'x')],
      policy: presets.dynamic({ retry: { attempts: 1 }, approval: { agents: ['architect'] } }),
    },
    start: { plan: { steps: votedOn(majority(3), 'architect:a') } },
    onFact: (fact, control) => {
      if (fact.type === 'approval.requested') control[answer](fact.requestId);
    },
  });

  scenario(
    'is approved once, for all of its votes',
    () => careful('approve'),
    (result) => {
      expect(result.factsOf('approval.requested')).toHaveLength(1);
      expect(keysOf(result)).toEqual(['run/a/1/worker.q1', 'run/a/1/worker.q1.v2']);
      expect(result.report.steps[0]).toMatchObject({ status: 'completed', output: 'x' });
    },
  );

  scenario(
    'does not begin without it',
    () => careful('reject'),
    (result) => {
      expect(keysOf(result)).toEqual([]);
      expect(result.report.steps[0]).toMatchObject({ status: 'failed', votes: null });
    },
  );
});

describe('a vote under supervision', () => {
  const results: unknown[] = [];

  scenario(
    'submits its winner to review and tests; a fix is made once, without a vote',
    () => {
      results.length = 0;
      const test = inTurn({ passed: false, failures: ['Broken'] }, { passed: true });
      const votesSeen: unknown[] = [];
      return {
        options: {
          agents: [
            agentNamed('worker', (call) => {
              votesSeen.push(call.step.vote);
              if (call.mode === 'fix') return { votesSeen: [...votesSeen] };
              return call.step.vote?.number === 1 ? 'wrong' : 'right';
            }),
          ],
          planner: () => ({ steps: votedOn(majority(3), 'a') }),
          supervisor: ({ subject, results: reviewed }) => {
            if (subject === 'code') results.push(reviewed.map(({ output }) => output));
            return { score: 90 };
          },
          tester: (request) => {
            results.push(request.output);
            return test(request) as { passed: boolean };
          },
          policy: presets.supervised({ limits: { maxVotes: 3 } }),
        },
      };
    },
    (result) => {
      expect(keysOf(result).filter((key) => key.startsWith('run/a/'))).toEqual([
        'run/a/1/worker',
        'run/a/1/worker.v2',
        'run/a/1/worker.v3',
        'run/a/1/supervisor.code',
        'run/a/1/tester',
        'run/a/1/worker.fix1',
        'run/a/1/tester.1',
        'run/a/1/supervisor.step',
      ]);
      const votesSeen = [{ number: 1, of: 3 }, { number: 2, of: 3 }, { number: 3, of: 3 }, null];
      expect(results.slice(0, 3)).toEqual([['right'], 'right', { votesSeen }]);
      expect(result.report.steps[0]).toMatchObject({
        status: 'completed',
        output: { votesSeen },
        votes: { winner: 2 },
      });
    },
  );

  scenario(
    'is repeated when the supervisor rejects its winner',
    () => {
      const review = inTurn({ score: 10, feedback: 'Not this' }, { score: 90 });
      return {
        options: {
          agents: [scriptedAgent('worker', 'x', 'x', 'y', 'z', 'y')],
          supervisor: (request) => review(request) as { score: number },
          policy: definePolicy({ ...withLimits({ maxAttempts: 2 }), gates: { step: 70 } }),
        },
        start: { plan: { steps: votedOn(majority(3), 'a') } },
      };
    },
    (result) => {
      expect(decidedIn(result)).toEqual([
        [2, 1, [2]],
        [3, 1, [2, 1]],
      ]);
      expect(result.report.steps[0]).toMatchObject({
        status: 'completed',
        output: 'y',
        attempts: 2,
        outputKeys: ['run/a/2/worker'],
      });
    },
  );
});

describe('while votes are taken', () => {
  const slowly = (policy: PolicyOverrides, ...acts: [number, 'abort' | 'skip' | 'pause'][]) => {
    const setup: Parameters<typeof scenario>[1] = (clock) => ({
      options: {
        agents: [agentNamed('worker', after(clock, 100, 'x'))],
        policy: definePolicy({ ...oneGo, ...policy }),
      },
      start: { plan: { steps: votedOn(surest(3), 'a') } },
      at: Object.fromEntries(
        acts.map(([time, act]) => [
          time,
          (control) => {
            if (act === 'skip') control.skip(['a']);
            else control[act]();
          },
        ]),
      ),
    });
    return setup;
  };

  scenario('the run may be aborted', slowly({}, [150, 'abort']), (result) => {
    expect(result.report).toMatchObject({ status: 'aborted', durationMs: 150 });
    expect(keysOf(result)).toHaveLength(2);
    expect(result.report.steps[0]).toMatchObject({
      status: 'cancelled',
      votes: { isDecided: false, cast: [{ number: 1 }] },
    });
  });

  scenario('the step may be skipped', slowly({}, [150, 'skip']), (result) => {
    expect(keysOf(result)).toHaveLength(2);
    expect(result.report.skippedSteps).toEqual(['a']);
  });

  scenario(
    'a pause delays no vote, because the step has started',
    slowly({}, [50, 'pause']),
    (result) => {
      expect(result.factsOf('vote.decided')).toHaveLength(1);
      expect(result.report.steps[0]?.status).toBe('completed');
    },
  );

  scenario(
    'the step may time out: all votes share its time',
    slowly({ time: { stepShare: true, limitMs: 260, planningMs: 1, verificationMs: 1 } }),
    (result) => {
      expect(keysOf(result)).toHaveLength(3);
      expect(result.report.steps[0]).toMatchObject({ status: 'failed', code: 'step-timeout' });
      expect(result.factsOf('vote.decided')).toEqual([]);
    },
  );

  scenario(
    'the run may time out',
    (clock) => ({
      options: {
        agents: [agentNamed('worker', after(clock, 100, 'x'))],
        policy: definePolicy({
          ...oneGo,
          time: { limitMs: 250, graceMs: 0, planningMs: 1, verificationMs: 1 },
        }),
      },
      start: { plan: { steps: [...steps('first'), ...votedOn(surest(3), 'a<first')] } },
    }),
    (result) => {
      expect(result.report).toMatchObject({ status: 'timeExpired', durationMs: 250 });
      expect(keysOf(result).slice(1)).toEqual(['run/a/1/worker', 'run/a/1/worker.v2']);
      expect(result.report.steps[1]).toMatchObject({
        status: 'cancelled',
        votes: { isDecided: false, cast: [{ number: 1 }] },
      });
    },
  );
});

describe('a run that winds down in the middle of a vote', () => {
  /** A budget for two calls: the other step requests a third at 150, and the first vote arrives at 200. */
  const windingDown = (votes: Votes): Parameters<typeof scenario>[1] => {
    return (clock) => ({
      options: {
        agents: [
          agentNamed('worker', after(clock, 200, 'x')),
          agentNamed('other', after(clock, 150, 'y')),
        ],
        policy: definePolicy(withLimits({ maxAgentCalls: 2, maxAttempts: 3 })),
      },
      start: { plan: { steps: [...votedOn(votes, 'a'), ...steps('other:b', 'other:c<b')] } },
    });
  };

  scenario(
    'requests no more votes: without a majority the step is cancelled',
    windingDown(majority(3)),
    (result) => {
      expect(keysOf(result)).toEqual(['run/a/1/worker', 'run/b/1/worker']);
      expect(result.report).toMatchObject({ status: 'budgetExhausted', durationMs: 200 });
      expect(result.report.steps[0]).toMatchObject({
        status: 'cancelled',
        votes: { isDecided: false, cast: [{ number: 1 }] },
      });
    },
  );

  scenario('is won by the vote with the highest confidence', windingDown(surest(3)), (result) => {
    expect(keysOf(result)).toEqual(['run/a/1/worker', 'run/b/1/worker']);
    expect(result.report.steps[0]).toMatchObject({
      status: 'completed',
      output: 'x',
      votes: { isDecided: true, winner: 1 },
    });
  });
});

describe('a vote and the budget of the run', () => {
  scenario(
    'counts every vote: votes cast before it is spent still count',
    () => vote(surest(3), ['x'], withLimits({ maxAgentCalls: 2 })),
    (result) => {
      expect(keysOf(result)).toHaveLength(2);
      expect(result.report).toMatchObject({ status: 'budgetExhausted', reason: 'maxAgentCalls' });
      expect(result.factsOf('budget.exhausted')).toHaveLength(1);
      expect(result.report.steps[0]).toMatchObject({ status: 'completed', output: 'x' });
    },
  );

  scenario(
    'counts the tokens of every vote, and too few votes give no majority',
    () =>
      vote(
        majority(3),
        [done('x', { usage: { inputTokens: 40 } }), done('y', { usage: { outputTokens: 80 } })],
        withLimits({ maxTokens: 100, maxAttempts: 3 }),
      ),
    (result) => {
      expect(keysOf(result)).toHaveLength(2);
      expect(result.report).toMatchObject({
        status: 'budgetExhausted',
        reason: 'maxTokens',
        usage: { inputTokens: 40, outputTokens: 80 },
      });
      expect(result.report.steps[0]).toMatchObject({ code: 'budget-exhausted', attempts: 1 });
      expect(result.factsOf('vote.decided')).toEqual([]);
    },
  );

  scenario(
    'never exceeds maxParallel calls at once',
    (clock) => {
      let running = 0;
      let most = 0;
      const work = async (call: AgentCall): Promise<unknown> => {
        running += 1;
        most = Math.max(most, running);
        await clock.sleep(10, call.signal);
        running -= 1;
        return call.step.id === 'd' ? most : 'x';
      };
      return {
        options: {
          agents: [agentNamed('worker', work)],
          policy: definePolicy(withLimits({ maxParallel: 2 })),
        },
        start: { plan: { steps: [...votedOn(surest(3), 'a', 'b', 'c'), ...steps('d<a,b,c')] } },
      };
    },
    ({ report }) => {
      expect(report.steps.at(-1)?.output).toBe(2);
      expect(report.status).toBe('completed');
    },
  );

  /** Fails every first try, never agrees with itself, and asks one question, with its last vote. */
  const costly = (): TestAgent => {
    let hasAsked = false;
    return agentNamed('worker', ({ key, step }) => {
      if (!key.includes('#2')) throw new Error('Not at once');
      if (hasAsked || step.vote?.number !== 3) return key;
      hasAsked = true;
      return askHuman({ question: 'Really?' });
    });
  };

  scenario(
    'costs at most what bounds() says, and the worst vote costs exactly that',
    () => ({
      options: {
        agents: [costly()],
        policy: definePolicy({
          limits: { maxVotes: 3, maxAttempts: 2, maxDepth: 0, maxSteps: 1, maxReplans: 0 },
          retry: { attempts: 2, backoffMs: 0 },
          approval: { maxQuestions: 1, onTimeout: 'approve' },
        }),
      },
      start: { plan: { steps: votedOn(majority(3), 'a') } },
    }),
    (result) => {
      expect(keysOf(result)).toHaveLength(2 * 3 * 3);
      expect(result.orchestrator.bounds().agentCalls).toBe(2 * 3 * 3);
      expect(result.report.steps[0]?.code).toBe('no-majority');
    },
  );
});

describe('a plan that asks for more votes than the policy allows', () => {
  scenario(
    'returns to the planner, which is told the limit and asks for fewer',
    () => ({
      options: {
        agents: [scriptedAgent('worker', 'x')],
        planner: plannerInTurn({ steps: votedOn(majority(4), 'a') }, (request: unknown) => {
          const { limits, issues } = request as {
            limits: { maxVotes: number };
            issues: { message: string }[];
          };
          const analysis = issues.map(({ message }) => message).join();
          return { analysis, steps: votedOn(majority(limits.maxVotes), 'a') };
        }),
        policy: definePolicy(withLimits({ maxVotes: 3 })),
      },
    }),
    ({ report, factsOf }) => {
      expect(factsOf('plan.rejected')).toMatchObject([
        {
          by: 'validation',
          issues: [{ code: 'too-many-votes', path: 'steps[0].votes.count' }],
        },
      ]);
      expect(factsOf('plan.proposed').at(-1)?.plan?.analysis).toBe(
        'Expected at most 3 votes (limits.maxVotes), got 4: ask for fewer',
      );
      expect(report).toMatchObject({ status: 'completed', replans: 1 });
    },
  );

  scenario(
    'is invalid where there is no voting',
    () => ({
      options: {
        agents: [scriptedAgent('worker', 'x')],
        planner: plannerInTurn({ steps: votedOn(majority(2), 'a') }, ['a']),
        policy: definePolicy(),
      },
    }),
    ({ report, factsOf }) => {
      expect(toldBy(factsOf)[1]?.issues).toEqual(['too-many-votes at steps[0].votes.count']);
      expect(factsOf('vote.cast', 'vote.decided')).toEqual([]);
      expect(report.steps[0]).toMatchObject({ status: 'completed', votes: null });
    },
  );

  it('is refused when it is given with the goal', () => {
    const orchestrator = createOrchestrator({
      agents: [scriptedAgent('worker', 'x')],
      policy: definePolicy({ limits: { maxVotes: 3 } }),
    });
    const plan = { steps: votedOn(majority(4), 'a') };
    expect(() => orchestrator.start({ goal: 'Too many', plan })).toThrow(PlanError);
  });
});

import { describe, expect } from 'vitest';

import { blocked } from '../../src/agents/report.js';
import type { Fact } from '../../src/model/facts.js';
import { transcript } from '../journal/selectors.js';
import { presets } from '../../src/policy/presets.js';
import { scenario } from '../scenarios/harness.js';
import { plannerInTurn } from '../scenarios/planners.js';
import { agentNamed, slowAgent, steps } from '../scenarios/team.js';
import { judging, teamOf } from './004-team.js';

/* Seed 004: the message protocol, read from the journal. */

/** The eighteen message types, by sender or receiver. */
const MESSAGES = {
  planner: ['PLAN_REQUEST', 'PLAN_RESPONSE', 'REPLAN_REQUEST', 'SUBPLAN_RESPONSE'],
  coder: ['CODE_REQUEST', 'CODE_RESPONSE', 'CODE_FIX_REQUEST'],
  tester: ['TEST_REQUEST', 'TEST_RESPONSE', 'FIX_PLAN'],
  supervisor: ['VERIFY_REQUEST', 'VERIFY_RESPONSE', 'CORRECTION', 'ESCALATION'],
  orchestrator: ['STEP_COMPLETE', 'STEP_BLOCKED', 'GOAL_COMPLETE', 'ABORT'],
} as const;

const ALL_MESSAGES = Object.values(MESSAGES).flat();

/** The steps each message is about, in order; null stands for the whole run. */
const subjectsByMessage = (facts: readonly Fact[]): Record<string, (string | null)[]> => {
  const subjects: Record<string, (string | null)[]> = {};
  for (const { message, about } of transcript(facts)) (subjects[message] ??= []).push(about);
  return subjects;
};

describe('the messages of seed 004', () => {
  /** s1 needs a fix; s2 is blocked, and so is its sub-plan; four verdicts in a row have issues. */
  scenario(
    'are all in one journal, except the one that would have ended it',
    () => ({
      options: teamOf({
        agents: [
          agentNamed('coder', ({ step }) =>
            step.id.startsWith('s2') ? blocked('No access') : `did ${step.id}`,
          ),
        ],
        planner: ({ depth }) => ({
          steps: depth === 0 ? steps('coder:s1', 'coder:s2', 'coder:s3') : steps('coder:x'),
        }),
        tester: ({ step, cycle }) => ({ passed: step.id !== 's1' || cycle > 0 }),
        supervisor: ({ subject, step, depth }) => {
          const isClean =
            (subject === 'plan' && depth === 0) ||
            (subject === 'step' && step?.id === 's3') ||
            subject === 'goal';
          return { score: 80, issues: isClean ? [] : ['Names are too short'] };
        },
        policy: presets.supervised({ limits: { maxAttempts: 1, maxDepth: 1 } }),
      }),
    }),
    ({ facts, report }) => {
      const subjects = subjectsByMessage(facts);
      expect(Object.keys(subjects).toSorted()).toEqual(
        ALL_MESSAGES.filter((message) => message !== 'ABORT').toSorted(),
      );
      expect(subjects).toMatchObject({
        PLAN_REQUEST: [null],
        PLAN_RESPONSE: [null],
        REPLAN_REQUEST: ['s2'],
        SUBPLAN_RESPONSE: ['s2'],
        CODE_REQUEST: ['s1', 's2', 's2/x', 's3'],
        CODE_RESPONSE: ['s1', 's1', 's2', 's2/x', 's3'],
        CODE_FIX_REQUEST: ['s1'],
        TEST_REQUEST: ['s1', 's1', 's3'],
        TEST_RESPONSE: ['s1', 's1', 's3'],
        FIX_PLAN: ['s1'],
        VERIFY_REQUEST: [null, 's1', 's1', 's2', 's3', 's3', null],
        VERIFY_RESPONSE: [null, 's1', 's1', 's2', 's3', 's3', null],
        CORRECTION: [null, null],
        ESCALATION: [null],
        STEP_COMPLETE: ['s1', 's3'],
        STEP_BLOCKED: ['s2', 's2/x'],
        GOAL_COMPLETE: [null],
      });
      expect(transcript(facts).at(-1)?.message).toBe('GOAL_COMPLETE');
      expect(report).toMatchObject({ status: 'completed', failedSteps: ['s2', 's2/x'] });
    },
  );

  scenario(
    'end with ABORT when the supervisor ends the session, and no call follows',
    () => ({
      options: teamOf({
        planner: () => ({ steps: steps('coder:s1', 'coder:s2', 'coder:s3') }),
        supervisor: ({ subject }) => ({ score: 80, issues: subject === 'plan' ? [] : ['Vague'] }),
      }),
    }),
    ({ facts, report }) => {
      const lines = transcript(facts);
      expect(lines.filter(({ message }) => message === 'ABORT')).toHaveLength(1);
      expect(lines.at(-1)?.message).toBe('ABORT');
      expect(ALL_MESSAGES).toEqual(expect.arrayContaining(lines.map(({ message }) => message)));
      expect(report.status).toBe('aborted');
    },
  );

  scenario(
    'end with ABORT when a person ends the session',
    (clock) => ({
      options: teamOf({ agents: [slowAgent('coder', clock, 1_000)] }),
      at: { 500: (control) => control.abort('escalation') },
    }),
    ({ facts, report }) => {
      expect(transcript(facts).at(-1)).toEqual({ at: 500, message: 'ABORT', about: null });
      expect(report).toMatchObject({ status: 'aborted', reason: 'escalation' });
    },
  );

  scenario(
    'say that a step is blocked when it gets a sub-plan, not only when it gets none',
    () => ({
      options: teamOf({
        agents: [agentNamed('coder', ({ step }) => (step.depth === 0 ? blocked('No') : 'x'))],
        planner: () => ({ steps: steps('coder:s1') }),
      }),
    }),
    ({ facts, report }) => {
      expect(subjectsByMessage(facts)).toMatchObject({
        STEP_BLOCKED: ['s1'],
        STEP_COMPLETE: ['s1/s1', 's1'],
      });
      expect(report.status).toBe('completed');
    },
  );

  scenario(
    'request a plan once: a refused plan is requested again by REPLAN_REQUEST',
    () => ({
      options: teamOf({
        planner: plannerInTurn(['coder:s1'], ['nobody:s2'], ['coder:s3']),
        supervisor: judging({ plan: [69, 70] }),
      }),
    }),
    ({ factsOf }) => {
      const calls = factsOf('agent.called').filter(({ role }) => role === 'planner');
      expect(calls.map(({ message }) => message)).toEqual([
        'PLAN_REQUEST',
        'REPLAN_REQUEST',
        'REPLAN_REQUEST',
      ]);
    },
  );

  scenario(
    'of one step have the order of the seed’s picture, and a fix goes back to coder and tester',
    () => ({
      options: teamOf({
        planner: () => ({ steps: steps('coder:s1') }),
        tester: ({ cycle }) => ({ passed: cycle > 0, fixPlan: { summary: 'Use +' } }),
      }),
    }),
    ({ facts }) => {
      const ofStep = transcript(facts).filter(({ about }) => about === 's1');
      expect(ofStep.map(({ message }) => message)).toEqual([
        'CODE_REQUEST',
        'CODE_RESPONSE',
        'VERIFY_REQUEST',
        'VERIFY_RESPONSE',
        'TEST_REQUEST',
        'TEST_RESPONSE',
        'FIX_PLAN',
        'CODE_FIX_REQUEST',
        'CODE_RESPONSE',
        'TEST_REQUEST',
        'TEST_RESPONSE',
        'VERIFY_REQUEST',
        'VERIFY_RESPONSE',
        'STEP_COMPLETE',
      ]);
    },
  );
});

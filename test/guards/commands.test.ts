import { describe, expect, it } from 'vitest';

import { refusalOf } from '../../src/guards/commands.js';
import type { Command } from '../../src/model/commands.js';
import type { StepState } from '../../src/model/progress.js';
import { contextWith } from './contexts.js';

const COMMANDS: readonly Command[] = [
  { type: 'approval.grant', requestId: 'a:1.1', answer: 'Yes' },
  { type: 'approval.reject', requestId: 'a:1.1', reason: 'No' },
  { type: 'plan.skip', stepIds: ['a'] },
  { type: 'plan.skipTo', stepId: 'a' },
  { type: 'conversation.say', text: 'Hello' },
  { type: 'run.pause' },
  { type: 'run.unpause' },
  { type: 'time.extend', extraMs: 1 },
  { type: 'run.abort', reason: 'Stop' },
];

const statusOf =
  (statuses: Readonly<Record<string, StepState['status']>>) =>
  (stepId: string): StepState['status'] | undefined =>
    Object.hasOwn(statuses, stepId) ? statuses[stepId] : undefined;

describe('a command', () => {
  it('is refused by a run that is ending, whatever it is', () => {
    const context = contextWith({ ending: { status: 'failed', reason: 'steps-failed' } });
    for (const command of COMMANDS) {
      expect(refusalOf(context, command, statusOf({ a: 'running' }))).toBe('run-ending');
    }
  });

  it('is refused when it is not a valid command', () => {
    for (const candidate of [
      undefined,
      null,
      7,
      {},
      { type: 'plan.skip' },
      { type: 'plan.skip', stepIds: [7] },
      { type: 'time.extend', extraMs: Number.NaN },
      { type: 'xstate.done.actor.x' },
      { type: 'approval.grant', requestId: 'a:1.1', answer: 'Yes', route: ['slot-0'] },
    ]) {
      const refusal = refusalOf(contextWith(), candidate, statusOf({}));
      expect(refusal).toMatch(/^invalid-command: /);
    }
  });

  it('to answer is accepted for an open question, once', () => {
    const open = contextWith({
      questions: [{ requestId: 'a:1.1', stepId: 'a', question: 'May a start?', route: ['slot-0'] }],
    });
    const answered = contextWith({ answeredQuestions: ['a:1.1'] });
    for (const command of COMMANDS.slice(0, 2)) {
      expect(refusalOf(open, command, statusOf({}))).toBeUndefined();
      expect(refusalOf(answered, command, statusOf({}))).toBe('already-decided');
      expect(refusalOf(contextWith(), command, statusOf({}))).toBe('unknown-request');
    }
  });

  it('to skip is accepted for waiting or running steps, and for all of them or none', () => {
    const statuses = {
      pending: 'pending',
      running: 'running',
      completed: 'completed',
      failed: 'failed',
      skipped: 'skipped',
      cancelled: 'cancelled',
    } as const;
    const refusal = (stepIds: readonly string[]): string | undefined =>
      refusalOf(contextWith(), { type: 'plan.skip', stepIds }, statusOf(statuses));
    expect(refusal(['pending', 'running'])).toBeUndefined();
    for (const settled of ['completed', 'failed', 'skipped', 'cancelled']) {
      expect(refusal([settled])).toBe('already-settled');
      expect(refusal(['pending', settled])).toBe('already-settled');
      expect(
        refusalOf(contextWith(), { type: 'plan.skipTo', stepId: settled }, statusOf(statuses)),
      ).toBe('already-settled');
    }
    expect(refusal(['nobody'])).toBe('unknown-step');
    expect(refusal(['constructor'])).toBe('unknown-step');
  });

  it('to pause or unpause is accepted when it changes something', () => {
    const paused = contextWith({ isPaused: true });
    const running = contextWith();
    expect(refusalOf(running, { type: 'run.pause' }, statusOf({}))).toBeUndefined();
    expect(refusalOf(paused, { type: 'run.pause' }, statusOf({}))).toBe('already-paused');
    expect(refusalOf(paused, { type: 'run.unpause' }, statusOf({}))).toBeUndefined();
    expect(refusalOf(running, { type: 'run.unpause' }, statusOf({}))).toBe('not-paused');
  });

  it('to talk, to extend the time and to abort is accepted while the run is in progress', () => {
    for (const type of ['conversation.say', 'time.extend', 'run.abort']) {
      const command = COMMANDS.find((candidate) => candidate.type === type);
      if (command === undefined) throw new Error(`There is no command ${type}`);
      for (const context of [contextWith(), contextWith({ isPaused: true })]) {
        expect(refusalOf(context, command, statusOf({}))).toBeUndefined();
      }
    }
  });
});

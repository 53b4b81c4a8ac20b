import { describe, expect, it } from 'vitest';

import { parseCommand } from '../../src/model/commands.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import { started } from './runs.js';

expectNothingUnhandled();

/* Refused commands are in test/faults/events*.test.ts, humans-answers.test.ts and time.test.ts. */

describe('a command at the limit of what is valid', () => {
  it('extendTime: the largest amount, repeated, still gives a finite number', async () => {
    const { run, clock } = started();
    for (let time = 0; time < 3; time += 1) {
      expect(await run.extendTime(Number.MAX_SAFE_INTEGER)).toEqual({ accepted: true });
    }
    await clock.runUntil(run.done);
    expect((await run.done).status).toBe('completed');
  });

  it('loses unknown fields', () => {
    const parsed = parseCommand({ type: 'run.abort', reason: 'Enough', isAdmin: true });
    expect(parsed).toEqual({ ok: true, command: { type: 'run.abort', reason: 'Enough' } });
  });

  it('is refused with an unknown field when it answers a question', () => {
    const answer = { type: 'approval.grant', requestId: 'a:1.1', answer: 'Yes', isAdmin: true };
    expect(parseCommand(answer)).toMatchObject({ ok: false });
  });
});

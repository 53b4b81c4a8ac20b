import { describe, expect, it } from 'vitest';

import { parseCommand } from '../../src/model/commands.js';
import { expectNothingUnhandled } from '../scenarios/unhandled.js';
import { started } from './runs.js';

expectNothingUnhandled();

/* What is refused, and when, is in the rows H4, E2 to E4 and T2 of test/faults. */

describe('a command at the edge of what makes sense', () => {
  it('extendTime: as much as there is, again and again, is still a number', async () => {
    const { run, clock } = started();
    for (let time = 0; time < 3; time += 1) {
      expect(await run.extendTime(Number.MAX_SAFE_INTEGER)).toEqual({ accepted: true });
    }
    await clock.runUntil(run.done);
    expect((await run.done).status).toBe('completed');
  });

  it('keeps only what a command has', () => {
    const parsed = parseCommand({
      type: 'approval.grant',
      requestId: 'a:1.1',
      answer: 'Yes',
      isAdmin: true,
    });
    expect(parsed).toEqual({
      ok: true,
      command: { type: 'approval.grant', requestId: 'a:1.1', answer: 'Yes', route: [] },
    });
  });
});

import { writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { demoFacts, evened, recordedFacts, recordingFile, storyOf } from './recorded-run.js';

/* To record again, after the demo has changed: RECORD=1 npx vitest run test/examples/recorded-facts.test.ts */

describe('the recorded facts', () => {
  it('equal those of the demo today', async () => {
    const today = await demoFacts();
    if (process.env['RECORD'] === '1') {
      const lines = evened(today).map((fact) => JSON.stringify(fact));
      writeFileSync(recordingFile, `${lines.join('\n')}\n`);
    }
    expect(storyOf(recordedFacts())).toEqual(storyOf(today));
  }, 120_000);
});

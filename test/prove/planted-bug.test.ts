import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Proof } from '../../src/testing/prove/prove.types.js';
import { root } from '../package/manifest.js';
import type { Finished } from './finished.js';
import { finished } from './finished.js';
import { bundled, bundledCommand, workshop } from './planted-bug.js';

/** A guard against a hang: this starts processes. */
const PATIENCE_MS = 300_000;

/** A question more than this is soon asked. */
const SMALL = `{
  limits: { maxSteps: 1, maxReplans: 0, maxDepth: 0, maxAttempts: 1 },
  retry: { attempts: 1 },
  approval: { maxQuestions: 1 },
}`;

/** So many questions that no run of the first thousand states has them: the way goes through the step alone. */
const LARGE = `{
  limits: { maxSteps: 2, maxReplans: 0, maxDepth: 0, maxAttempts: 1 },
  retry: { attempts: 3 },
  approval: { maxQuestions: 9 },
}`;

const { folder, close } = workshop();
afterAll(close);

interface Refuted extends Finished {
  readonly proof: Proof;
}

/** What the command with the mistake says about a policy. */
const refuted = async (command: string, name: string, policy: string, ...options: string[]) => {
  const module = join(folder, `${name}.mjs`);
  writeFileSync(module, `export const policy = ${policy};\n`);
  const end = await finished(command, ['prove', module, '--json', ...options], folder);
  return { ...end, proof: JSON.parse(end.stdout) as Proof } satisfies Refuted;
};

describe('a chart with a mistake', () => {
  const found = new Map<string, Refuted>();

  beforeAll(async () => {
    const command = await bundledCommand('planted', folder);
    found.set('whole-run', await refuted(command, 'whole-run', SMALL, '--whole-run', '--steps=1'));
    found.set('chart', await refuted(command, 'chart', LARGE, '--steps=2'));
  }, PATIENCE_MS);

  const counterexampleOf = (name: string) => found.get(name)!.proof.counterexample!;

  it('is refuted: the command ends with 1, and says which rule is broken', () => {
    for (const { code, stderr, proof } of found.values()) {
      expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
      expect(proof).toMatchObject({ isProved: false, maxima: null });
    }
    expect(counterexampleOf('whole-run')).toMatchObject({
      rule: 'bound',
      message: '/slot-0 has 2 questions, the policy allows 1',
      witness: { system: 'the whole run' },
    });
    expect(counterexampleOf('chart')).toMatchObject({
      rule: 'bound',
      message: '/slot-0 has 10 questions, the policy allows 9 (a planned step at level 0)',
      witness: { system: 'a planned step at level 0' },
    });
  });

  it(
    'is shown by tests to be copied: they fail on it, and pass on the chart as it should be',
    async () => {
      const files = [...found.keys()].map((name) => {
        const file = join(folder, `${name}.test.ts`);
        writeFileSync(file, counterexampleOf(name).test);
        return file;
      });
      const variants = ['planted', 'right'] as const;
      await Promise.all(
        variants.map((variant) => bundled(variant, files, join(folder, 'tests', variant))),
      );
      writeFileSync(join(folder, 'vitest.config.mjs'), CONFIG);
      const runner = join(root, 'node_modules/vitest/vitest.mjs');
      const report = join(folder, 'report.json');
      const args = ['run', '--reporter=json', `--outputFile=${report}`, `--root=${folder}`];
      const { code, stderr } = await finished(runner, args, folder);
      expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
      const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
      const seen = testResults.map(({ name, status }) => `${relative(folder, name)} ${status}`);
      expect(seen.sort()).toEqual([
        'tests/planted/chart.test.mjs failed',
        'tests/planted/whole-run.test.mjs failed',
        'tests/right/chart.test.mjs passed',
        'tests/right/whole-run.test.mjs passed',
      ]);
      const messages = testResults.flatMap(({ assertionResults }) =>
        assertionResults.flatMap(({ failureMessages }) => failureMessages),
      );
      // They fail by what they show, not because they cannot be run.
      expect(messages).toHaveLength(2);
      for (const message of messages) expect(message).toContain("rule: 'bound'");
    },
    PATIENCE_MS,
  );
});

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly failureMessages: readonly string[] }[];
  }[];
}

/** Its folder lies below node_modules, where nobody else's tests are looked for. */
const CONFIG = `export default {
  test: { include: ['tests/**/*.test.mjs'], exclude: [], maxWorkers: 1, isolate: false },
};
`;

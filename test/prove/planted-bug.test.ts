import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { definePolicy } from '../../src/policy/policy.js';
import type { Counterexample, Proof, Rule } from '../../src/proof/prove/prove.types.js';
import { RULES } from '../../src/proof/prove/prove.types.js';
import { root } from '../package/manifest.js';
import { finished } from './finished.js';
import type { PlantedMistake } from './mistakes.js';
import { ONE_QUESTION_TOO_MANY, PLANTED_MISTAKES } from './mistakes.js';
import { bundledCommand, installed, workshop } from './planted-bug.js';

/** A guard against a hang: this test starts processes. */
const PATIENCE_MS = 300_000;

/** More questions than this are soon asked. */
const SMALL = `{
  limits: { maxSteps: 1, maxReplans: 0, maxDepth: 0, maxAttempts: 1 },
  retry: { attempts: 1 },
  approval: { maxQuestions: 1 },
}`;

const { folder, close } = workshop();
afterAll(close);

/** What the package with a mistake reports about a policy, in a folder where tests find that package. */
const counterexampleOf = async ({ name, policy, options, changes }: PlantedMistake) => {
  const { prove } = await installed(join(folder, name), changes);
  return prove(definePolicy(policy), { agents: ['worker'], ...options }).counterexample;
};

describe('a chart with a mistake', () => {
  const found = new Map<string, Counterexample | null>();

  beforeAll(async () => {
    for (const mistake of PLANTED_MISTAKES) {
      found.set(mistake.name, await counterexampleOf(mistake));
    }
  }, PATIENCE_MS);

  it('is refuted by the command, which exits with 1 and names the broken rule', async () => {
    const command = await bundledCommand(join(folder, 'command'), [ONE_QUESTION_TOO_MANY]);
    const module = join(folder, 'policy.mjs');
    writeFileSync(module, `export const policy = ${SMALL};\n`);
    const args = ['prove', module, '--json', '--whole-run', '--steps=1'];
    const { code, stdout, stderr } = await finished(command, args, folder);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    const proof = JSON.parse(stdout) as Proof;
    expect(proof).toMatchObject({ isProved: false, maxima: null });
    expect(proof.counterexample).toMatchObject({
      rule: 'bound',
      message: '/slot-0 has 2 questions, the policy allows 1',
      witness: { system: 'the whole run' },
    });
  });

  it.each(PLANTED_MISTAKES)('breaks its rule: $name', ({ name, rule, message, system }) => {
    expect(found.get(name)).toMatchObject({ rule, witness: { system } });
    expect(found.get(name)?.message).toContain(message);
  });

  it('breaks every existing rule', () => {
    expect(new Set(PLANTED_MISTAKES.map(({ rule }) => rule))).toEqual(new Set(RULES));
  });

  it(
    'gives tests to copy, which fail on it and pass on the correct chart',
    async () => {
      await installed(join(folder, 'right'), []);
      for (const [name, counterexample] of found) {
        for (const place of [name, 'right']) {
          writeFileSync(join(folder, place, `${name}.test.mjs`), counterexample?.test ?? '');
        }
      }
      writeFileSync(join(folder, 'vitest.config.mjs'), CONFIG);
      const runner = join(root, 'node_modules/vitest/vitest.mjs');
      const report = join(folder, 'report.json');
      const args = ['run', '--reporter=json', `--outputFile=${report}`, `--root=${folder}`];
      const { code, stderr } = await finished(runner, args, folder);
      expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
      const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
      const seen = testResults.flatMap(({ name, assertionResults }) =>
        // They fail by their assertions, not because they cannot run.
        assertionResults.map(({ status, failureMessages: [reason = ''] }) => [
          relative(folder, name),
          status,
          Object.values(FAILURE_OF_RULE).find((failure) =>
            reason.startsWith(`AssertionError: ${failure}`),
          ) ?? reason,
        ]),
      );
      const expected = PLANTED_MISTAKES.flatMap(({ name, rule }) => [
        [`${name}/${name}.test.mjs`, 'failed', FAILURE_OF_RULE[rule]],
        [`right/${name}.test.mjs`, 'passed', ''],
      ]);
      expect(seen.sort()).toEqual(expected.sort());
    },
    PATIENCE_MS,
  );
});

/** The message of a test of a rule when it fails. */
const FAILURE_OF_RULE: Readonly<Record<Rule, string>> = {
  bound: "expected [ { rule: 'bound'",
  deadline: "expected [ { rule: 'deadline'",
  rejection: "expected [ { rule: 'rejection'",
  crash: "expected [ { rule: 'crash'",
  termination: 'expected true to be false',
  'finite cost': 'expected true to be false',
  'price tag': 'expected ',
};

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Its folder lies below node_modules, where test runners do not look for tests. */
const CONFIG = `export default {
  test: { include: ['*/*.test.mjs'], exclude: [], maxWorkers: 1, isolate: false },
};
`;

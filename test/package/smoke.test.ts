import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { transform } from 'esbuild';
import { afterAll, describe, expect, it, vi } from 'vitest';

import { patienceMs, printedByNode } from './command.js';
import { asWrittenByUser, createConsumer } from './consumer.js';
import { allPeers, root } from './manifest.js';

/*
 * What a service does with the built package. `npm run test:node -- 22 24` runs this file on other versions of Node.
 */

vi.setConfig({ testTimeout: patienceMs, hookTimeout: patienceMs });

const nodeMajor = Number(process.versions.node.split('.')[0]);

const versionOf = (name: string): string =>
  (
    JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as {
      readonly version: string;
    }
  ).version;

/** openai 7 needs Node 22. */
const clients = nodeMajor < 22 ? ['openai'] : ['openai', 'openai-7'];

describe.each(clients)(`the built package on Node ${nodeMajor} with %s`, (openai) => {
  const consumer = createConsumer();
  afterAll(consumer.dispose);

  it(`resumes a run from SQLite, plays simulated worlds and calls a model by openai ${versionOf(openai)}`, async () => {
    await consumer.installLinked(allPeers, { openai });
    const source = asWrittenByUser('test/package/smoke-program.ts');
    const { code } = await transform(source, { loader: 'ts', target: 'es2022' });
    consumer.write('smoke.js', code);
    const printed = await printedByNode('smoke.js', [], consumer.folder);
    expect(JSON.parse(printed)).toEqual({
      resumed: { status: 'completed', successfulSteps: ['one', 'two'], calls: ['one', 'two'] },
      worlds: { runs: 20, failures: [] },
      asked: {
        status: 'completed',
        output: { answer: '42' },
        usage: { inputTokens: 3, outputTokens: 4, costUsd: 0 },
      },
    });
  });
});

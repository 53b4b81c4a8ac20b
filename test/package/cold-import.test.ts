import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { patienceMs, printedByNode } from './command.js';
import { createConsumer } from './consumer.js';
import { requiredPeers } from './manifest.js';

vi.setConfig({ testTimeout: patienceMs, hookTimeout: patienceMs });

/** About 1.4 when it was written. */
const RATIO_MAX = 2;
const ROUNDS = 9;
/** More rounds remove noise, but not a slow import. */
const BATCHES_MAX = 4;

/** Prints the milliseconds of processor time that the imports take in a new process. */
const timed = (...specifiers: readonly string[]): string => `
const before = process.cpuUsage();
${specifiers.map((specifier) => `await import('${specifier}');`).join('\n')}
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000);
`;

const median = (values: readonly number[]): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;

describe('importing planwright in a new process', () => {
  const consumer = createConsumer();

  beforeAll(async () => {
    await consumer.installLinked(requiredPeers);
    consumer.write('peers.js', timed('xstate', 'zod/mini'));
    consumer.write('planwright.js', timed('planwright'));
  });
  afterAll(consumer.dispose);

  const importMs = async (file: string): Promise<number> =>
    Number(await printedByNode(file, [], consumer.folder));

  it('takes at most twice the processor time of its peers alone', async () => {
    const peersMs: number[] = [];
    const oursMs: number[] = [];
    let ratio = Number.POSITIVE_INFINITY;
    for (let batch = 0; batch < BATCHES_MAX && ratio > RATIO_MAX; batch += 1) {
      for (let round = 0; round < ROUNDS; round += 1) {
        peersMs.push(await importMs('peers.js'));
        oursMs.push(await importMs('planwright.js'));
      }
      ratio = median(oursMs) / median(peersMs);
    }
    process.stdout.write(
      `cold import: peers ${median(peersMs).toFixed(0)} ms, planwright ${median(oursMs).toFixed(0)} ms of a processor, ratio ${ratio.toFixed(2)}\n`,
    );
    expect(ratio).toBeLessThan(RATIO_MAX);
  });
});

import { expect } from 'vitest';

import type { FaultKind } from '../../src/proof/simulate/fault-kinds.js';
import { EDGE_FAULTS, FAULT_KINDS } from '../../src/proof/simulate/fault-kinds.js';
import type { SimulationSummary } from '../../src/proof/simulate/simulate.js';
import { simulate } from '../../src/proof/simulate/simulate.js';

/** A kind of fault that happens more rarely than this proves nothing. */
const LEAST_SHARE = 0.01;

/** The same for faults between processes, clocks and the store. */
const LEAST_EDGE_SHARE = 0.02;

/** Plays worlds; each failure is printed with its seed, its smallest trace and the command that shows it again. */
export const expectClean = async (seed: number, runs: number): Promise<SimulationSummary> => {
  const summary = await simulate({ seed, runs });
  const shown = summary.failures.map(
    ({ seed: failing, without, trace }) =>
      `${trace}\nnpm run simulate -- --seed ${failing} --without '${JSON.stringify(without)}'`,
  );
  expect(shown.join('\n\n')).toBe('');
  expect(summary.failedRuns).toBe(0);
  return summary;
};

/** Worlds without faults prove nothing. */
export const expectEventful = ({ shares }: SimulationSummary): void => {
  const rare = Object.entries(shares).filter(([, share]) => share < LEAST_SHARE);
  expect(rare).toEqual([]);
  expect(EDGE_FAULTS.filter((kind) => shares[kind] < LEAST_EDGE_SHARE)).toEqual([]);
  expect(Object.keys(shares)).toEqual(Object.keys(FAULT_KINDS));
};

/** One line for every kind of fault: how many of the worlds it happened in. */
export const faultTable = ({ shares, runs }: SimulationSummary): string =>
  [
    `${runs} worlds; share of them in which each fault happened:`,
    ...(Object.entries(shares) as [FaultKind, number][]).map(
      ([kind, share]) =>
        `  ${`${(100 * share).toFixed(1)} %`.padStart(7)}  ${kind.padEnd(22)} ${FAULT_KINDS[kind]}`,
    ),
  ].join('\n');

/** The time one call takes, in milliseconds. */
export const timed = async (work: () => Promise<void>): Promise<number> => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

/** Medians of several pieces of work, taken in turns so that a noisy machine disturbs all of them alike. */
export const interleaved = async (
  rounds: number,
  works: readonly (() => Promise<void>)[],
): Promise<number[]> => {
  const times: number[][] = works.map(() => []);
  for (let round = -1; round < rounds; round += 1) {
    for (const [index, work] of works.entries()) {
      const time = await timed(work);
      // The first round warms up.
      if (round >= 0) times[index]?.push(time);
    }
  }
  return times.map(median);
};

export interface Finding {
  readonly name: string;
  readonly value: number;
  readonly limit: number;
  readonly detail: string;
}

export const report = (findings: readonly Finding[]): boolean => {
  for (const { name, value, limit, detail } of findings) {
    const verdict = value <= limit ? 'ok  ' : 'OVER';
    console.log(`${verdict} ${name}: ${value.toFixed(2)} (limit ${limit}) ${detail}`);
  }
  return findings.every(({ value, limit }) => value <= limit);
};

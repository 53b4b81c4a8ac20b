import { readFileSync } from 'node:fs';

/**
 * Milliseconds this thread has spent computing, where the platform tells: on a busy machine the wall clock tells more
 * about the neighbours. Elsewhere it is the wall clock.
 */
const cpuTimeMs = (): number => {
  try {
    const [nanoseconds] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return performance.now();
  }
};

/** The least time that something takes: what else the machine does in between is not counted. */
export const shortestMs = async (rounds: number, work: () => unknown): Promise<number> => {
  let shortest = Infinity;
  for (let round = 0; round < rounds; round += 1) {
    const startedMs = cpuTimeMs();
    await work();
    shortest = Math.min(shortest, cpuTimeMs() - startedMs);
  }
  return shortest;
};

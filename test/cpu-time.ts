/**
 * Milliseconds of processor time of this process: on a busy machine the wall clock measures other processes. The
 * tests run in processes, not in threads, so nothing else counts.
 */
export const cpuTimeMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** The least time of several rounds, so that interruptions do not count. */
export const shortestMs = async (rounds: number, work: () => unknown): Promise<number> => {
  let shortest = Infinity;
  for (let round = 0; round < rounds; round += 1) {
    const startedMs = cpuTimeMs();
    await work();
    shortest = Math.min(shortest, cpuTimeMs() - startedMs);
  }
  return shortest;
};

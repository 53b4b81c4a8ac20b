/**
 * Milliseconds this process has spent computing: on a busy machine the wall clock tells more about the neighbours. The
 * tests run in processes, not in threads, so there is nobody else in it.
 */
export const cpuTimeMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
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

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const;

/** 3,605,000 as `1 h 5 s`. */
export const durationText = (durationMs: number): string => {
  let restMs = durationMs;
  const parts = UNITS.flatMap(([name, unitMs]) => {
    const count = Math.floor(restMs / unitMs);
    restMs -= count * unitMs;
    return count === 0 ? [] : [`${count} ${name}`];
  });
  return parts.length === 0 ? '0 s' : parts.join(' ');
};

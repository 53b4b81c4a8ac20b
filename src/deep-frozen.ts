/**
 * Freezes a plain value and everything in it. Every value handed to a callback goes through here: the charts may decide
 * by it, so a callback must not change it.
 */
export const deepFrozen = <Value>(value: Value): Value => {
  // A frozen value was frozen here, from the inside out.
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  // Not Object.values: this runs for every fact, and the list would be garbage at once.
  for (const key in value) {
    const item = value[key];
    if (typeof item === 'object') deepFrozen(item);
  }
  return Object.freeze(value);
};

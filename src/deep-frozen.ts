/**
 * Freezes a plain value and all that is in it. Whatever is handed to a callback goes through here: it may be what the
 * charts decide by, and a callback must not be able to change that.
 */
export const deepFrozen = <Value>(value: Value): Value => {
  // What is frozen was frozen here, from the inside out.
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  // Not Object.values: this runs for every fact, and the list would be garbage at once.
  for (const key in value) {
    const item = value[key];
    if (typeof item === 'object') deepFrozen(item);
  }
  return Object.freeze(value);
};

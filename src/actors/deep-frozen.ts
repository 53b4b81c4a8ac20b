/**
 * Freezes a plain value and all that is in it. Whatever is handed to a callback goes through here: it may be what the
 * charts decide by, and a callback must not be able to change that.
 */
export const deepFrozen = <Value>(value: Value): Value => {
  // What is frozen was frozen here, from the inside out.
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const item of Object.values(value)) deepFrozen(item);
  return Object.freeze(value);
};

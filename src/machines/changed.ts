/** The fields that differ. Assigning only these keeps changes of a large context small. */
export const changed = <Context extends object>(
  before: Context,
  after: Context,
): Partial<Context> => {
  const change: Partial<Context> = {};
  for (const key in after) {
    if (after[key] !== before[key]) change[key] = after[key];
  }
  return change;
};

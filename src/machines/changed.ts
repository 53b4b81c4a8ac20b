/** The fields that differ. Assigning only these keeps a change of a large context as small as it is. */
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

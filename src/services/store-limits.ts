/* Bounds that all stores share. */

/** Commands that may wait for one run; further ones are refused, so that a flood cannot fill the store. */
export const INBOX_LIMIT = 10_000;

const LIST_LIMIT_DEFAULT = 1_000;

/** The limit of a list, checked. */
export function listLimit(limit = LIST_LIMIT_DEFAULT): number {
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw new RangeError(`Expected \`limit\` to be a positive integer, got \`${limit}\``);
}

import { ConfigurationError } from '../errors.js';

/* The ids that every store can keep, so that a run may move from one store to another. */

const ID_CHARACTERS_MAX = 1_000;

/**
 * Refuses an id that some store could not keep unchanged: databases refuse a NUL, and half a surrogate pair gets lost.
 */
export function checkId(id: string, path: 'runId' | 'command.id'): void {
  if (isStorable(id)) return;
  const message = `Expected 1 to ${ID_CHARACTERS_MAX} characters, without NUL or half a surrogate pair`;
  throw new ConfigurationError([{ code: 'invalid-id', path, message }]);
}

/** The id to look up: an invalid id is replaced by the empty one, which is never stored. */
export const lookupId = (id: string): string => (isStorable(id) ? id : '');

const isStorable = (id: unknown): boolean =>
  typeof id === 'string' &&
  id !== '' &&
  id.length <= ID_CHARACTERS_MAX &&
  !/\0|\p{Surrogate}/u.test(id);

import { ConfigurationError } from '../errors.js';

/* Which ids a store keeps: those that every store can, so that a run may move from one to another. */

const ID_CHARACTERS_MAX = 1_000;

/** Refuses an id that some store could not keep as it is: databases refuse a NUL, and half a surrogate pair gets lost. */
export function checkId(id: string, path: 'runId' | 'command.id'): void {
  if (isStorable(id)) return;
  const message = `Expected 1 to ${ID_CHARACTERS_MAX} characters, without NUL or half a surrogate pair`;
  throw new ConfigurationError([{ code: 'invalid-id', path, message }]);
}

/** What to look for: an id that cannot have been stored is as unknown as the empty one. */
export const lookupId = (id: string): string => (isStorable(id) ? id : '');

const isStorable = (id: unknown): boolean =>
  typeof id === 'string' &&
  id !== '' &&
  id.length <= ID_CHARACTERS_MAX &&
  !/\0|\p{Surrogate}/u.test(id);

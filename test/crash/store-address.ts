import type { RunStore } from '../../src/model/run-store.js';

/** The address of a store, as it is passed to a child process. */
export type StoreAddress = SqliteAddress | PostgresAddress;

export interface SqliteAddress {
  readonly kind: 'sqlite';
  readonly path: string;
}

export interface PostgresAddress {
  readonly kind: 'postgres';
  readonly url: string;
  readonly schema: string;
}

export interface OpenedStore {
  readonly store: RunStore;
  readonly close: () => Promise<void>;
}

/** Opens a store; `beforeCommit` is called when a transaction has written everything and is not durable yet. */
export type OpenStore<Address extends StoreAddress> = (
  address: Address,
  beforeCommit: () => void,
) => OpenedStore;

/** Both drivers receive their statements by one method: SQLite as a text, PostgreSQL as an object with a text. */
export const tellBeforeCommit = (
  prototype: object,
  name: 'exec' | 'query',
  listener: () => void,
  isCommit: (statement: unknown) => boolean = (statement) => statement === 'COMMIT',
): void => {
  const methods = prototype as Record<string, (...given: unknown[]) => unknown>;
  const method = methods[name];
  if (method === undefined) throw new Error(`The driver has no ${name}`);
  methods[name] = function (this: unknown, ...given) {
    if (isCommit(given[0])) listener();
    return method.apply(this, given);
  };
};

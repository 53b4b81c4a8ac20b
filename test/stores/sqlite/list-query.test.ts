import Database from 'libsql';
import { afterAll, describe, expect, it } from 'vitest';

import type { RunFilter } from '../../../src/model/run-store.js';
import { listQuery } from '../../../src/services/stores/sqlite/list-query.js';
import { sqliteStore } from '../../../src/services/stores/sqlite/index.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();
afterAll(folder.dispose);

const after = { runId: 'run', startedAt: 1 };
const labels = { team: 'red' };

describe('a list in SQLite', () => {
  const path = folder.newPath();
  const opened = sqliteStore({ path }).close?.();

  it.each<[RunFilter, string]>([
    [{ order: 'newest' }, 'runs_by_start'],
    [{ order: 'newest', after, since: 1, labels }, 'runs_by_start'],
    [{ order: 'oldest', since: 1 }, 'runs_by_start'],
    [{ order: 'newest', status: 'running', labels }, 'runs_by_status'],
    [{ order: 'oldest', status: 'running', since: 1, after }, 'runs_by_status'],
    [{ after }, 'sqlite_autoindex_runs_1'],
  ])('reads the runs in order from an index, without sorting them: %j', async (filter, index) => {
    await opened;
    const { sql, values } = listQuery(filter);
    const database = new Database(path);
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all([...values, 100]) as {
      readonly detail: string;
    }[];
    database.close();
    const plan = steps.map(({ detail }) => detail).join('; ');
    expect(plan).toContain(`USING INDEX ${index}`);
    expect(plan).not.toContain('ORDER BY');
  });
});

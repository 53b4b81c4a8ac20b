import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import Database from 'libsql';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { defineAgent } from '../../src/agents/agent.js';
import { done } from '../../src/agents/report.js';
import { sealedHeader } from '../../src/journal/sealed-header.js';
import { createOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { definePolicy } from '../../src/policy/policy.js';
import type { RunStore } from '../../src/model/run-store.js';
import { postgresStore } from '../../src/services/stores/postgres/index.js';
import { sqliteStore } from '../../src/services/stores/sqlite/index.js';
import { sharedPostgres } from '../stores/shared-postgres.js';
import { temporaryFolder } from '../stores/temporary-folder.js';
import { codeBlocks } from './markdown.js';

/* The queries of docs/stores.md, on real stores with real runs. */

const document = readFileSync(join(import.meta.dirname, '../../docs/stores.md'), 'utf8');

/** The queries for one database, in the order of the document. */
const queriesFor = (database: 'SQLite' | 'PostgreSQL'): string[] =>
  codeBlocks(document, 'sql').map((block) => {
    const [, sqlite = '', postgres = ''] = block.split(/^-- (?:SQLite|PostgreSQL)\n/m);
    return database === 'SQLite' ? sqlite : postgres;
  });

const SCHEMA = 'store_queries';
const folder = temporaryFolder();
const path = folder.newPath();

const coder = defineAgent({
  name: 'coder',
  description: 'Writes code',
  run: async ({ step }) =>
    done({ wrote: step.id }, { usage: { inputTokens: 100, outputTokens: 20, costUsd: 0.01 } }),
});
const sleeper = defineAgent({
  name: 'sleeper',
  description: 'Does not answer',
  run: ({ signal }) => new Promise((_, stop) => signal.addEventListener('abort', stop)),
});

/** A completed run, one that waits for a person, one that its process has released, and one with a label. */
const fill = async (store: RunStore): Promise<() => Promise<void>> => {
  const owner = createOrchestrator({
    agents: [coder, sleeper],
    store,
    policy: definePolicy({ approval: { plan: true } }),
  });
  const completed = owner.start({
    goal: 'Ship release 7',
    runId: 'release-7',
    plan: {
      steps: [
        { id: 'write', agent: 'coder', task: 'Write it' },
        { id: 'test', agent: 'coder', task: 'Test it', dependsOn: ['write'] },
      ],
    },
  });
  completed.subscribe((fact) => {
    if (fact.type === 'approval.requested') void completed.approve(fact.requestId);
  });
  expect((await completed.done).status).toBe('completed');
  const waiting = owner.start({
    goal: 'Ask first',
    runId: 'asks-first',
    plan: { steps: [{ id: 'one', agent: 'coder', task: 'Do it' }] },
  });
  for await (const fact of waiting.facts()) if (fact.type === 'approval.requested') break;
  const closing = createOrchestrator({ agents: [coder, sleeper], store });
  const left = closing.start({
    goal: 'Sleep',
    runId: 'left-behind',
    plan: { steps: [{ id: 'nap', agent: 'sleeper', task: 'Sleep' }] },
  });
  for await (const fact of left.facts()) if (fact.type === 'agent.called') break;
  await closing.close({ graceMs: 1 });
  await store.create(
    sealedHeader({
      runId: 'labelled',
      goal: 'Has a label',
      labels: { team: 'red' },
      policyFingerprint: '0',
      chartFingerprint: '0',
      startedAt: 1_000,
    }),
  );
  return () => owner.close({ graceMs: 1 });
};

type Row = Readonly<Record<string, unknown>>;

/** The expected result of each query, in the order of the document. */
const expectations: readonly ((rows: readonly Row[]) => void)[] = [
  (rows) =>
    expect(rows.map((row) => row['run_id'])).toEqual(['labelled', 'asks-first', 'left-behind']),
  (rows) => expect(rows).toMatchObject([{ status: 'completed', reason: 'all-steps-completed' }]),
  (rows) => expect(rows.map((row) => row['run_id']).sort()).toEqual(['labelled', 'left-behind']),
  (rows) => expect(rows).toMatchObject([{ run_id: 'labelled', status: 'running' }]),
  (rows) => {
    expect(rows[0]).toMatchObject({ sequence: 0, kind: 'started', fact: 'run.started' });
    expect(rows.at(-1)).toMatchObject({ kind: 'answered', fact: 'run.ended' });
    expect(rows).toContainEqual(expect.objectContaining({ fact: 'step.started', step: 'test' }));
  },
  (rows) => {
    expect(rows).toMatchObject([{ step: 'write' }, { step: 'test', agent: 'coder' }]);
    const [output] = rows.map((row) => row['output']);
    expect(typeof output === 'string' ? JSON.parse(output) : output).toEqual({ wrote: 'write' });
  },
  (rows) => {
    expect(rows).toMatchObject([{ run_id: 'asks-first' }]);
    expect(rows[0]?.['question']).toEqual(expect.stringContaining('plan'));
  },
  (rows) =>
    expect(rows).toMatchObject([
      { run_id: 'left-behind', agent: 'sleeper', key: 'left-behind/nap/1/worker' },
    ]),
  (rows) => {
    expect(rows).toMatchObject([{ agent: 'coder' }]);
    expect(Number(rows[0]?.['input_tokens'])).toBe(200);
    expect(Number(rows[0]?.['cost_usd'])).toBeCloseTo(0.02);
  },
  (rows) => expect(rows.map((row) => row['step']).sort()).toEqual(['test', 'write']),
];

it('docs/stores.md has ten queries, each for both databases', () => {
  for (const database of ['SQLite', 'PostgreSQL'] as const) {
    const queries = queriesFor(database);
    expect(queries).toHaveLength(10);
    for (const query of queries) expect(query).toMatch(/^SELECT[^]*;\s*$/);
  }
});

describe('the queries of docs/stores.md in SQLite', () => {
  let database: Database.Database;
  let close: () => Promise<void>;
  const store = sqliteStore({ path });

  beforeAll(async () => {
    close = await fill(store);
    database = new Database(path, { readonly: true });
  });

  afterAll(async () => {
    database.close();
    await close();
    await store.close?.();
    folder.dispose();
  });

  it.each(queriesFor('SQLite').map((query, index) => ({ query, number: index + 1 })))(
    'query $number finds the expected rows',
    ({ query, number }) => {
      expectations[number - 1]?.(database.prepare(query).all() as Row[]);
    },
  );
});

describe('the queries of docs/stores.md in PostgreSQL', () => {
  let client: Client;
  let store: RunStore;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const url = await sharedPostgres();
    client = new Client({ connectionString: url });
    await client.connect();
    await client.query(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`);
    store = postgresStore({ url, schema: SCHEMA });
    close = await fill(store);
    await client.query(`SET search_path TO ${SCHEMA}`);
  });

  afterAll(async () => {
    await client.end();
    await close();
    await store.close?.();
  });

  it.each(queriesFor('PostgreSQL').map((query, index) => ({ query, number: index + 1 })))(
    'query $number finds the expected rows',
    async ({ query, number }) => {
      const { rows } = await client.query<Row>(query);
      expectations[number - 1]?.(rows);
    },
  );
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { defineAgent } from '../../src/agents/agent.js';
import { run } from '../../src/cli/run.js';
import { createOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import type { RunStore } from '../../src/model/run-store.js';
import { postgresStore } from '../../src/services/stores/postgres/index.js';
import { sqliteStore } from '../../src/services/stores/sqlite/index.js';
import { sharedPostgres } from '../stores/shared-postgres.js';
import { temporaryFolder } from '../stores/temporary-folder.js';

/* `planwright check`, on stores with runs of another build. */

const folder = temporaryFolder();
const sqlitePath = folder.newPath();
const SCHEMA = 'checked_runs';
let url = '';

const source = pathToFileURL(join(import.meta.dirname, '../../src/index.ts')).href;

/** A module with a build: its agents, and its policy. */
const build = (name: string, agents: readonly string[], policy: object): string => {
  const path = join(folder.path, `${name}.mjs`);
  writeFileSync(
    path,
    `import { createOrchestrator, defineAgent } from ${JSON.stringify(source)};
const agents = ${JSON.stringify(agents)}.map((name) =>
  defineAgent({ name, description: 'Works', run: async () => 'done' }));
export const orchestrator = createOrchestrator({ agents, policy: ${JSON.stringify(policy)} });
`,
  );
  return path;
};

/** One unfinished run, released, and one that has ended. */
const fill = async (store: RunStore): Promise<void> => {
  const worker = defineAgent({
    name: 'worker',
    description: 'Works',
    run: ({ step, signal }) =>
      step.id === 'long'
        ? new Promise((_, reject) => signal.addEventListener('abort', reject))
        : 'done',
  });
  const orchestrator = createOrchestrator({ agents: [worker], store });
  const step = { agent: 'worker', task: 'Do it' } as const;
  await orchestrator.start({
    goal: 'A short goal',
    runId: 'ended',
    plan: { steps: [{ id: 'short', ...step }] },
  }).done;
  const open = orchestrator.start({
    goal: 'A long goal',
    runId: 'open',
    plan: { steps: [{ id: 'long', ...step }] },
  });
  for await (const fact of open.facts()) if (fact.type === 'agent.called') break;
  await orchestrator.close({ graceMs: 0 });
};

const checked = async (...args: readonly string[]) => {
  const printed: string[] = [];
  const warned: string[] = [];
  const code = await run(['check', ...args], {
    print: (text) => void printed.push(text),
    warn: (text) => void warned.push(text),
  });
  return { code, printed: printed.join('\n'), warned: warned.join('\n') };
};

beforeAll(async () => {
  url = await sharedPostgres();
  for (const store of [sqliteStore({ path: sqlitePath }), postgresStore({ url, schema: SCHEMA })]) {
    await fill(store);
    await store.close?.();
  }
});

afterAll(() => folder.dispose());

const storesOf = (): readonly (readonly string[])[] => [
  ['--store', sqlitePath],
  ['--store', url, '--schema', SCHEMA],
];

describe('planwright check', () => {
  it('exits with 0 when the build resumes every run, also with more agents', async () => {
    const module = build('same', ['added', 'worker'], { limits: { maxReplans: 1 } });
    for (const store of storesOf()) {
      const { code, printed, warned } = await checked(module, ...store);
      expect({ code, printed, warned }).toEqual({
        code: 0,
        printed: '1 unfinished run: this build refuses none',
        warned: '',
      });
    }
  });

  it('exits with 1 and the first difference when a run would be refused', async () => {
    const module = build('strict', ['worker'], { approval: { agents: ['worker'] } });
    for (const store of storesOf()) {
      const { code, printed } = await checked(module, ...store);
      expect(code).toBe(1);
      expect(printed).toMatch(/^1 unfinished run: this build refuses 1\n\nopen: A long goal\n/);
      expect(printed).toContain('agent.called (');
      expect(printed).toContain('approval.requested (');
    }
    const { printed } = await checked(module, '--json', '--store', sqlitePath);
    expect(JSON.parse(printed)).toMatchObject([{ runId: 'open', difference: { sequence: 6 } }]);
  });

  it('names a missing agent', async () => {
    const module = build('smaller', ['another'], {});
    const { code, printed } = await checked(module, '--store', sqlitePath);
    expect(code).toBe(1);
    expect(printed).toContain("its agent 'worker' is not in the team");
  });

  it('claims nothing and writes nothing', async () => {
    const module = build('strict-again', ['worker'], { approval: { agents: ['worker'] } });
    const contentOf = async (): Promise<string> => {
      const store = sqliteStore({ path: sqlitePath });
      const content = JSON.stringify([await store.list(), await store.read('open')]);
      await store.close?.();
      return content;
    };
    const before = await contentOf();
    await checked(module, '--store', sqlitePath);
    expect(await contentOf()).toBe(before);
  });

  it('exits with 2 when it cannot start, and creates no store', async () => {
    const module = build('usual', ['worker'], {});
    const missing = join(folder.path, 'missing.db');
    const noOrchestrator = join(folder.path, 'nothing.mjs');
    writeFileSync(noOrchestrator, 'export const policy = {};');
    for (const [args, message] of [
      [[module], 'Name the store'],
      [['--store', sqlitePath], 'Name one module'],
      [[module, '--store', missing], 'There is no file'],
      [[join(folder.path, 'no.mjs'), '--store', sqlitePath], 'There is no file'],
      [[noOrchestrator, '--store', sqlitePath], 'exports no orchestrator'],
      [[module, '--stor', sqlitePath], 'did you mean --store?'],
      [[module, '--store', url, '--schema', 'no_such_schema'], 'does not have the tables'],
    ] as const) {
      const { code, printed, warned } = await checked(...args);
      expect({ code, printed }, message).toEqual({ code: 2, printed: '' });
      expect(warned).toContain(message);
    }
    const { code, warned } = await checked(module, '--store', missing);
    expect({ code, warned }).toMatchObject({ code: 2 });
  });

  it('prints its usage with --help', async () => {
    const { code, printed } = await checked('--help');
    expect(code).toBe(0);
    expect(printed).toMatch(/^planwright check <module> --store/);
  });
});

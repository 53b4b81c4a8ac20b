import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { inHouseFormat } from '../docs/project-format.js';
import { codeBlocks, relativeLinks, tableRows } from '../docs/markdown.js';
import { goodVerdict } from './requests.js';
import { plan, report, step } from './scripts.js';
import { API_KEY, serverSaying } from './servers.js';

vi.setConfig({ testTimeout: 30_000 }); // real servers and real waits, on a machine that may be busy

/* The code in docs/openai.md compiles and runs, against a local server. */

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/openai.md'), 'utf8');

/** The example as a user of the package writes it. */
const asShown = async (path: string): Promise<string> => {
  const source = readFileSync(join(root, path), 'utf8')
    .replaceAll("'../src/index.js'", "'planwright'")
    .replaceAll("'../src/services/openai/index.js'", "'planwright/openai'");
  return inHouseFormat(path, source);
};

let played = 0;

const printedBy = async (path: string): Promise<string> => {
  const log = vi.spyOn(console, 'log').mockReturnValue(undefined);
  // Loaded anew: an example that another test has loaded before would print nothing.
  await import(`${join(root, path)}?played=${(played += 1)}`);
  return log.mock.calls.map((values) => values.join(' ')).join('\n');
};

const connectedTo = (baseURL: string): void => {
  vi.stubEnv('OPENAI_BASE_URL', baseURL);
  vi.stubEnv('OPENAI_API_KEY', API_KEY);
};

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe('docs/openai.md', () => {
  it('shows the examples as they are in the repository', async () => {
    const blocks = codeBlocks(page, 'ts');
    expect(blocks).toHaveLength(3);
    for (const block of blocks) {
      const [first = '', ...rest] = block.split('\n');
      const path = /^\/\/ (examples\/\S+\.ts)$/.exec(first)?.[1] ?? 'unnamed';
      expect(rest.join('\n'), path).toBe(await asShown(path));
    }
  });

  it('links to existing files', () => {
    for (const page of ['docs/openai.md', 'docs/decisions/0013-openai-chat-completions.md']) {
      const links = relativeLinks(readFileSync(join(root, page), 'utf8'));
      expect(links.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([]);
    }
  });

  it('states the actual bounds', () => {
    const rows = new Map(tableRows(page, 'option').map(([name, , value]) => [name, value]));
    const options = readFileSync(join(root, 'src/services/openai/options.ts'), 'utf8');
    for (const name of ['maxToolRounds', 'maxAnswerCharacters', 'maxToolOutputCharacters']) {
      const value = new RegExp(`${name}: z._default\\(atLeastOne.*, (?<value>[\\d_]+)\\)`).exec(
        options,
      );
      expect(rows.get(`\`${name}\``)).toBe(value?.groups?.['value']?.replaceAll('_', ''));
    }
  });
});

describe('the examples', () => {
  it('read a document with a tool', async () => {
    const server = await serverSaying(
      { toolCalls: [{ name: 'read_document', arguments: { name: 'README.md' } }] },
      report({ answer: 'It orchestrates.', documents: ['README.md'] }),
    );
    connectedTo(server.baseURL);
    const printed = await printedBy('examples/openai-agent.ts');
    expect(printed).toContain('completed {"answer":"It orchestrates.","documents":["README.md"]}');
    expect(server.requests[1]!.messages.at(-1)!.content).toContain('# planwright');
  });

  it('run a supervised team', async () => {
    const wrote = report({ summary: 'Wrote it', files: ['report.ts'], tests: [] });
    const server = await serverSaying((request) => {
      if (request.schemaName === 'plan') {
        return plan(
          step('flag', 'coder', 'Add the flag with its test'),
          step('look', 'coder', 'Look at the flag again', ['flag']),
        );
      }
      if (request.schemaName === 'verdict') return { json: goodVerdict };
      if (request.schemaName === 'report') return wrote;
      if (request.schemaName === null) return { text: 'There is a flag.' };
      return { json: { passed: true, failures: [], fixPlan: null } };
    });
    connectedTo(server.baseURL);
    const printed = await printedBy('examples/openai-team.ts');
    expect(printed).toContain('coder starts flag');
    expect(printed).toContain('completed flag, look');
    expect(printed).toContain('There is a flag.');
  });

  it('support every server', async () => {
    vi.stubEnv('OPENAI_BASE_URL', undefined);
    vi.stubEnv('OPENAI_API_KEY', API_KEY);
    expect(await printedBy('examples/openai-servers.ts')).toBe('6 planners, no request made');
  });
});

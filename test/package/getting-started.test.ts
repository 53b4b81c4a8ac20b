import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { codeBlocks } from '../docs/markdown.js';
import { patienceMs, printedBy } from './command.js';
import { createConsumer } from './consumer.js';
import { requiredPeers, root } from './manifest.js';

/* The first pages as a new user follows them: the packed package in an empty folder, the files and commands of the page. */

vi.setConfig({ testTimeout: patienceMs, hookTimeout: patienceMs });

const pageOf = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The snippets of a page by the names in their first lines. */
const filesOf = (page: string): [name: string, code: string][] =>
  codeBlocks(page, 'ts').map((code) => [/^\/\/ (\S+\.ts)\n/.exec(code)?.[1] ?? 'unnamed.ts', code]);

/** What a page says that `npx tsx <name>` prints; empty where it shows nothing. */
const shownFor = (page: string, name: string): string =>
  new RegExp(`npx tsx ${name}\\n\`\`\`\\n\\n\`\`\`text\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? '';

describe('a new user', () => {
  const consumer = createConsumer();
  const tsx = (...args: string[]): Promise<string> =>
    printedBy(join(consumer.folder, 'node_modules/.bin/tsx'), args, consumer.folder);

  beforeAll(async () => {
    await consumer.install(requiredPeers);
    await consumer.add(['libsql', 'tsx']);
  });
  afterAll(consumer.dispose);

  it('runs the example of README.md and sees the output it shows', async () => {
    const readme = pageOf('README.md');
    for (const [name, code] of filesOf(readme)) consumer.write(name, code);
    expect(await tsx('bounded.ts')).toBe(codeBlocks(readme, 'text')[0]);
  });

  it('follows docs/getting-started.md to an approval, a resume and a test', async () => {
    const page = pageOf('docs/getting-started.md');
    for (const [name, code] of filesOf(page)) consumer.write(name, code);
    expect(await tsx('start.ts')).toBe(shownFor(page, 'start.ts'));
    expect(await tsx('approve.ts')).toBe(shownFor(page, 'approve.ts'));
    expect(shownFor(page, 'approve.ts')).toContain('Published');
    expect(await tsx('--test', 'team.test.ts')).toMatch(/# pass 2\n# fail 0/);
  });

  it.each([
    [
      'a misspelt option',
      'createOrchestrator({ agents: [writer], planer: () => plan })',
      'Did you mean `planner`?',
    ],
    ['no options', 'createOrchestrator()', 'Expected options, such as createOrchestrator({'],
    [
      'an agent without run',
      "defineAgent({ name: 'a', description: 'b' })",
      'run: Expected a function that does',
    ],
    [
      'a plan with an unknown agent',
      "team.start({ goal: 'Go', plan: { steps: [{ id: 'a', agent: 'writter', task: 'Write it' }] } })",
      'known agents: writer',
    ],
    [
      'a plan with a misspelt key',
      "team.start({ goal: 'Go', plan: { steps: [{ id: 'a', agent: 'writer', task: 'Write it', depends_on: [] }] } })",
      'Did you mean `dependsOn`?',
    ],
    ['a goal that is no object', "team.start('Go')", "orchestrator.start({ goal: 'Say hello' })"],
    [
      'a store that was not awaited',
      'createOrchestrator({ agents: [writer], store: (async () => ({}))() })',
      'await it first',
    ],
    [
      'an unknown agent in a policy',
      "createOrchestrator({ agents: [writer], policy: presets.dynamic({ approval: { agents: ['writter'] } }) })",
      'Did you mean `writer`?',
    ],
    [
      'a misspelt limit',
      'presets.dynamic({ limits: { maxReplan: 1 } })',
      'Did you mean `limits.maxReplans`?',
    ],
  ])('who makes a mistake, %s, reads what to do', async (_mistake, expression, advice) => {
    consumer.write(
      'mistake.js',
      `import { createOrchestrator, defineAgent, PlanwrightError, presets } from 'planwright';
const writer = defineAgent({ name: 'writer', description: 'Writes', run: () => 'text' });
const team = createOrchestrator({ agents: [writer] });
const plan = { steps: [] };
void [presets, team, plan];
try { ${expression}; console.log('accepted'); } catch (error) {
  console.log(PlanwrightError.isInstance(error) ? error.message : error);
}
`,
    );
    expect(await printedBy('node', ['mistake.js'], consumer.folder)).toContain(advice);
  });
});

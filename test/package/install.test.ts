import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { codeBlocks } from '../docs/markdown.js';
import type { Compiler } from './command.js';
import { compiledBy, patienceMs, printedByNode, printedBy } from './command.js';
import { asWrittenByUser, createConsumer } from './consumer.js';
import { entries, optionalPeers, requiredPeers, root } from './manifest.js';

/*
 * The tarball in an empty project, with copies of our peers beside it: anything that is missing from the tarball, or
 * only works beside our own node_modules, fails here.
 */

/** The first example of README.md, and the name of its file. */
const [firstExample = ''] = codeBlocks(readFileSync(join(root, 'README.md'), 'utf8'), 'ts');
const exampleName = basename(/^\/\/ (?<path>\S+)\.ts$/m.exec(firstExample)?.groups?.['path'] ?? '');

const ORCHESTRATOR = `
import { createOrchestrator, defineAgent, presets } from 'planwright';
const agent = (name) => defineAgent({ name, description: 'Works', run: () => 'work' });
export const orchestrator = createOrchestrator({
  agents: [agent('coder'), agent('reviewer')],
  tester: () => ({ passed: true }),
  policy: presets.fixed(),
});
`;

const compilerOptions = {
  target: 'es2022',
  lib: ['es2023', 'dom'],
  strict: true,
  verbatimModuleSyntax: true,
  // For the example, which reads files; it is not part of the package.
  typeRoots: [join(root, 'node_modules/@types')],
  types: ['node'],
  rootDir: 'src',
  outDir: 'built',
};

vi.setConfig({ testTimeout: patienceMs, hookTimeout: patienceMs });

describe('the packed tarball in an empty project', () => {
  const consumer = createConsumer();

  beforeAll(() => consumer.install(requiredPeers));
  afterAll(consumer.dispose);

  const compile = async (
    compiler: Compiler,
    options: Readonly<Record<string, string | boolean>>,
  ): Promise<void> => {
    consumer.write(
      'tsconfig.json',
      JSON.stringify({ compilerOptions: { ...compilerOptions, ...options }, include: ['src'] }),
    );
    await compiledBy(compiler, ['-p', 'tsconfig.json'], consumer.folder);
  };

  it('needs its peers and nothing else', () => {
    const installed = readdirSync(join(consumer.folder, 'node_modules'));
    expect(installed.filter((name) => !name.startsWith('.')).sort()).toEqual(
      ['planwright', ...requiredPeers].sort(),
    );
  });

  it('compiles and runs the first example of README.md, with all its declarations checked', async () => {
    consumer.write(`src/${exampleName}.ts`, firstExample);
    await compile('TypeScript 7', { module: 'nodenext', skipLibCheck: false });
    const printed = await printedByNode(`built/${exampleName}.js`, [], consumer.folder);
    expect(printed).toMatch(/^completed: .*replan-limit/m);
  });

  it('has a command that proves an orchestrator with its own team, and the pictures for its page', async () => {
    consumer.write('team.js', ORCHESTRATOR);
    const command = join(consumer.folder, 'node_modules/.bin/planwright');
    const args = ['prove', 'team.js', '--steps', '1', '--html', 'proof.html'];
    expect(await printedBy(command, args, consumer.folder)).toMatch(/^PROVED/);
    const page = readFileSync(join(consumer.folder, 'proof.html'), 'utf8');
    expect(page.match(/<svg/g)).toHaveLength(5);
    expect(page).toContain('coder, reviewer, a tester');
  });

  describe('with its optional peers', () => {
    beforeAll(() => consumer.add(optionalPeers));

    it('exports at every entry point what its source exports', async () => {
      consumer.write('entries.js', listing);
      const printed = await printedByNode('entries.js', [], consumer.folder);
      const expected = await Promise.all(
        entries.map(async ({ specifier, source }) => {
          const exported = (await import(join(root, source))) as object;
          return [specifier, Object.keys(exported).sort()] as const;
        }),
      );
      expect(JSON.parse(printed)).toEqual(Object.fromEntries(expected));
      expect(expected.map(([, names]) => names)).not.toContainEqual([]);
    });

    it.each([
      { compiler: 'TypeScript 6', options: { module: 'nodenext', moduleResolution: 'nodenext' } },
      { compiler: 'TypeScript 7', options: { module: 'preserve', moduleResolution: 'bundler' } },
    ] as const)(
      'type checks in $compiler where moduleResolution is $options.moduleResolution',
      async ({ compiler, options }) => {
        consumer.write('src/typed-consumer.ts', asWrittenByUser('test/package/typed-consumer.ts'));
        consumer.write('src/entries.ts', importsOfAll);
        // XState's own declarations fail under exactOptionalPropertyTypes.
        await compile(compiler, {
          ...options,
          exactOptionalPropertyTypes: true,
          skipLibCheck: true,
        });
      },
    );
  });
});

const specifiers = JSON.stringify(entries.map(({ specifier }) => specifier));

/** Prints the exports of every entry point. */
const listing = `
const names = async (specifier) => [specifier, Object.keys(await import(specifier)).sort()];
console.log(JSON.stringify(Object.fromEntries(await Promise.all(${specifiers}.map(names)))));
`;

/** Reads the declarations of every entry point; a namespace without names would be a module without types. */
const importsOfAll = entries
  .map(
    ({ specifier }, index) => `
import * as entry${index} from '${specifier}';
export const names${index}: [keyof typeof entry${index}] extends [never] ? 'empty' : string[] = Object.keys(entry${index});
`,
  )
  .join('');

import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { sourceFolders } from '../../lint/import-directions.js';

/*
 * A broken rule is as silent as a rule that is never violated. So each kind of rule is violated once here, in a copy
 * of the configuration with its own files.
 */

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

const direction = 'planwright(import-directions)';

/** The errors of a file, or nothing. */
const planted: readonly (readonly [file: string, text: string, rule: string | undefined])[] = [
  // Imports go one way in each room, types included.
  ...Object.keys(sourceFolders).map(
    (room) => [`src/${room}/upwards.ts`, `export { made } from '../index.js';`, direction] as const,
  ),
  ['src/services/deep/upwards.ts', `export { made } from '../../kernel/x.js';`, direction],
  ['src/errors.ts', `export { made } from './plan/x.js';`, direction],
  ['src/plan/package.ts', `export { createMachine } from 'xstate';`, direction],
  ['src/run/run-registry.ts', `export const load = () => import('../machines/x.js');`, direction],
  ['src/plan/type.ts', `export type { Made } from '../machines/x.js';`, direction],
  ['src/no-room/x.ts', `export { made } from '../plan/x.js';`, direction],
  ['src/plan/own.ts', `export { made } from './deep/x.js';`, undefined],
  ['src/plan/deep/own.ts', `export { made } from '../x.js';`, undefined],
  ['src/model/deep/own.ts', `import 'zod/mini';`, undefined],
  ['src/model/zod.ts', `export { z } from 'zod';`, 'eslint(no-restricted-imports)'],
  // What src may not use.
  ['src/plan/node.ts', `export type { Stats } from 'node:fs';`, 'eslint(no-restricted-imports)'],
  ['src/plan/timer.ts', `globalThis.setTimeout(String, 1);`, 'eslint(no-restricted-globals)'],
  ['src/plan/now.ts', `export const at = Date.now();`, 'eslint(no-restricted-properties)'],
  ['src/plan/date.ts', `export const at = new Date();`, 'planwright(no-current-date)'],
  ['src/plan/past.ts', `export const at = new Date(0);`, undefined],
  ['src/plan/load.ts', `export const x = import('./own.js');`, 'planwright(no-dynamic-import)'],
  ['src/plan/default.ts', `export default 1;`, 'import(no-default-export)'],
  ['src/services/clock.ts', `export const at = new Date(Date.now());`, undefined],
  // With types, without types, and where a rule is off.
  ['scripts/floating.ts', `Promise.resolve(1);`, 'typescript(no-floating-promises)'],
  ['scripts/unused.ts', `const _unused = 1;`, 'eslint(no-unused-vars)'],
  ['scripts/console.ts', `console.log(1);`, undefined],
  ['test/sure.ts', `export const sure = [1].at(0)!;`, undefined],
  // A comment that silences a rule, and one that silences nothing.
  [
    'src/plan/silent.ts',
    `// eslint-disable-next-line no-console -- why\nconsole.log(1);`,
    undefined,
  ],
  ['src/plan/idle.ts', `// eslint-disable-next-line no-console -- why\nexport {};`, 'directive'],
];

const reportSchema = z.object({
  diagnostics: z.array(
    z.object({ filename: z.string(), code: z.string().optional(), message: z.string() }),
  ),
});

describe('the lint rules', () => {
  let folder = '';
  const found = new Map<string, string[]>();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'planwright-lint-'));
    for (const part of ['oxlint.config.ts', 'lint', 'tsconfig.json', 'package.json'])
      await cp(join(root, part), join(folder, part), { recursive: true });
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    for (const [file, text] of planted) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), `${text}\n`);
    }
    for (const { filename, code, message } of await lint(folder)) {
      const rule = message.includes('disable directive') ? 'directive' : (code ?? message);
      found.set(filename, [...(found.get(filename) ?? []), rule]);
    }
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(planted)('%s: %j gives %s', (file, _text, rule) => {
    expect(found.get(file) ?? []).toEqual(rule === undefined ? [] : [rule]);
  });
});

const lint = async (cwd: string) => {
  const args = [
    '--import',
    'tsx',
    'node_modules/oxlint/bin/oxlint',
    '--format=json',
    'src',
    'scripts',
    'test',
  ];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd }).catch(
    // It found something, and reports that by its exit code.
    (error: unknown) => z.object({ stdout: z.string() }).parse(error),
  );
  return reportSchema.parse(JSON.parse(stdout)).diagnostics;
};

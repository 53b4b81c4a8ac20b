import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { BuildOptions, Plugin } from 'esbuild';
import { build } from 'esbuild';

import type * as testing from '../../src/testing.js';
import { root } from '../package/manifest.js';
import type { Change } from './mistakes.js';

/*
 * The package with a real mistake in one of its charts or guards: the only way to see the output of a failed proof.
 * The same source is bundled with the mistake and without.
 */

const planted = (changes: readonly Change[]): Plugin => ({
  name: 'planted mistakes',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const change = changes.find(({ file }) => path === join(root, file));
      if (change === undefined) return undefined;
      const { file, right, wrong } = change;
      const source = readFileSync(path, 'utf8');
      if (!source.includes(right)) throw new Error(`${file} has no '${right}': plant another bug`);
      return { contents: source.replace(right, wrong), loader: 'ts' };
    });
  },
});

/** A folder from which the dependencies are found. */
export const workshop = (): { readonly folder: string; readonly close: () => void } => {
  const cache = join(root, 'node_modules/.cache/planwright');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'planted-'));
  return {
    folder,
    close: () => {
      rmSync(folder, { recursive: true });
    },
  };
};

const bundled = async (
  changes: readonly Change[],
  options: Pick<BuildOptions, 'entryPoints' | 'outdir'>,
): Promise<void> => {
  await build({
    ...options,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
    external: ['xstate', 'xstate/*', 'zod', 'zod/*'],
    plugins: [planted(changes)],
  });
};

/** The command as it is laid out in the package, with its pictures; returns its path. */
export const bundledCommand = async (
  folder: string,
  changes: readonly Change[],
): Promise<string> => {
  const entryPoints = [join(root, 'src/cli/main.ts')];
  await bundled(changes, { entryPoints, outdir: join(folder, 'dist/cli') });
  cpSync(join(root, 'visualizations'), join(folder, 'visualizations'), { recursive: true });
  return join(folder, 'dist/cli/main.mjs');
};

/** The package as it is installed: files in the folder import it by its name. Returns `planwright/testing`. */
export const installed = async (
  folder: string,
  changes: readonly Change[],
): Promise<typeof testing> => {
  const home = join(folder, 'node_modules/planwright');
  const entryPoints = {
    index: join(root, 'src/index.ts'),
    testing: join(root, 'src/testing.ts'),
  };
  await bundled(changes, { entryPoints, outdir: home });
  const exports = { '.': './index.mjs', './testing': './testing.mjs' };
  const manifest = { name: 'planwright', type: 'module', exports };
  writeFileSync(join(home, 'package.json'), JSON.stringify(manifest));
  return (await import(pathToFileURL(join(home, 'testing.mjs')).href)) as typeof testing;
};

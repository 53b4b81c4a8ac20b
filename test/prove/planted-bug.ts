import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import type { Plugin } from 'esbuild';
import { build } from 'esbuild';

import { root } from '../package/manifest.js';

/*
 * The package with a real mistake in one of its guards: the only way to see what people see when a proof fails. The same
 * source is bundled with the mistake and without.
 */

const PLACE = 'src/guards/step.ts';
const RIGHT = 'agentQuestions < settings.policy.approval.maxQuestions';
const WRONG = 'agentQuestions <= settings.policy.approval.maxQuestions';

/** An agent may ask one question too many. */
const mistake: Plugin = {
  name: 'one question too many',
  setup: ({ onLoad }) => {
    onLoad({ filter: /src\/guards\/step\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      if (!source.includes(RIGHT)) throw new Error(`${PLACE} has no '${RIGHT}': plant another bug`);
      return { contents: source.replace(RIGHT, WRONG), loader: 'ts' };
    });
  },
};

export type Variant = 'right' | 'planted';

/** A place of its own from which the dependencies are found. */
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

/** Files that import the package by name, as they would run beside it. */
export const bundled = async (
  variant: Variant,
  files: readonly string[],
  folder: string,
): Promise<void> => {
  await build({
    entryPoints: [...files],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
    // The package itself comes in as source; what it needs, and the test runner, stay outside.
    external: ['xstate', 'xstate/*', 'zod', 'zod/*', 'vitest'],
    alias: {
      'planwright/testing': join(root, 'src/testing/index.ts'),
      planwright: join(root, 'src/index.ts'),
    },
    plugins: variant === 'planted' ? [mistake] : [],
  });
};

/** The command as it is laid out in the package, with its pictures; returns its path. */
export const bundledCommand = async (variant: Variant, folder: string): Promise<string> => {
  const home = join(folder, variant);
  await bundled(variant, [join(root, 'src/cli/main.ts')], join(home, 'dist/cli'));
  cpSync(join(root, 'visualizations'), join(home, 'visualizations'), { recursive: true });
  return join(home, 'dist/cli/main.mjs');
};

/**
 * Part of `npm run build`: the code for Node in a few files instead of a hundred and fifty small ones, which take longer
 * to find and read than to run. Bundlers get the small files and leave out the unused ones.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { build } from 'esbuild';

interface Manifest {
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<
    Record<string, string | { readonly types: string; readonly node?: string }>
  >;
}

/** Bundles the entry points of a compiled package; `folder` has its package.json and `dist`. */
export const bundleForNode = async (folder: string): Promise<void> => {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  await build({
    absWorkingDir: folder,
    entryPoints: [
      ...Object.values(manifest.exports).flatMap((target) =>
        typeof target === 'string' || target.node === undefined
          ? []
          : [{ in: target.types.replace(/\.d\.ts$/, '.js'), out: outOf(target.node) }],
      ),
      ...Object.values(manifest.bin).map((file) => ({ in: 'dist/cli/main.js', out: outOf(file) })),
    ],
    outdir: 'dist/node',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    logLevel: 'warning',
  });
};

const outOf = (file: string): string => file.replace('./dist/node/', '').replace(/\.js$/, '');

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await bundleForNode(process.cwd());
}

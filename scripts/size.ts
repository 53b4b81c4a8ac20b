// Bundles the public entry point for a browser and holds it to its size budget.
// esbuild refuses `node:` imports on the browser platform, so this is also the browser check.
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';

/** What `planwright` may add to a front end: minified and gzipped, without its peers. 1 kB = 1000 bytes. */
const GZIP_BUDGET_BYTES = 65_200;

/** Where the budget should come down to. A third of the bundle is charts: names and descriptions that people read. */
const GZIP_GOAL_BYTES = 20_000;

const { outputFiles, metafile } = await build({
  entryPoints: ['src/index.ts'],
  bundle: true,
  splitting: true,
  outdir: 'dist',
  minify: true,
  write: false,
  metafile: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  external: ['xstate', 'zod'],
}).catch(() => process.exit(1)); // esbuild has already printed what is wrong and where

/** What a page loads before it does anything: not what is loaded when it is asked for, such as time travel. */
const loadedAtOnce = (entry: string, loaded = new Set<string>()): ReadonlySet<string> => {
  if (loaded.has(entry)) return loaded;
  loaded.add(entry);
  for (const { path, kind, external } of metafile.outputs[entry]?.imports ?? []) {
    if (kind === 'import-statement' && external !== true) loadedAtOnce(path, loaded);
  }
  return loaded;
};

const atOnce = [...loadedAtOnce('dist/index.js')];
const bundle = outputFiles
  .filter((file) => atOnce.some((path) => file.path.endsWith(path)))
  .map((file) => file.contents);
if (bundle.length !== atOnce.length) throw new Error('A chunk of the bundle is missing');
const rawBytes = bundle.reduce((sum, contents) => sum + contents.byteLength, 0);
const gzipBytes = gzipSync(Buffer.concat(bundle), { level: 9 }).byteLength;

console.log(`planwright: ${rawBytes} bytes minified, ${gzipBytes} bytes gzipped`);
console.log(`budget:     ${GZIP_BUDGET_BYTES} bytes gzipped (goal ${GZIP_GOAL_BYTES})`);

if (gzipBytes > GZIP_BUDGET_BYTES) {
  console.error(`The bundle is ${gzipBytes - GZIP_BUDGET_BYTES} bytes over its budget.`);
  process.exitCode = 1;
}

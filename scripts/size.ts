// Bundles the public entry point for a browser and holds it to its size budget.
// esbuild refuses `node:` imports on the browser platform, so this is also the browser check.
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';

/** What `planwright` may add to a front end: minified and gzipped, without its peers. 1 kB = 1000 bytes. */
const GZIP_BUDGET_BYTES = 58_000;

/** Where the budget should come down to. A third of the bundle is charts: names and descriptions that people read. */
const GZIP_GOAL_BYTES = 20_000;

const { outputFiles } = await build({
  entryPoints: ['src/index.ts'],
  bundle: true,
  minify: true,
  write: false,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  external: ['xstate', 'zod'],
}).catch(() => process.exit(1)); // esbuild has already printed what is wrong and where

const bundle = outputFiles.map((file) => file.contents);
const rawBytes = bundle.reduce((sum, contents) => sum + contents.byteLength, 0);
const gzipBytes = gzipSync(Buffer.concat(bundle), { level: 9 }).byteLength;

console.log(`planwright: ${rawBytes} bytes minified, ${gzipBytes} bytes gzipped`);
console.log(`budget:     ${GZIP_BUDGET_BYTES} bytes gzipped (goal ${GZIP_GOAL_BYTES})`);

if (gzipBytes > GZIP_BUDGET_BYTES) {
  console.error(`The bundle is ${gzipBytes - GZIP_BUDGET_BYTES} bytes over its budget.`);
  process.exitCode = 1;
}

// The size of planwright in a front end, with two budgets that may only fall. esbuild refuses `node:` imports on the
// browser platform, so this is also the browser check.
import { gzipSync } from 'node:zlib';

import type { BuildOptions } from 'esbuild';
import { build } from 'esbuild';

interface Measured {
  readonly name: string;
  readonly entry: string;
  readonly external: readonly string[];
  /** Minified and gzipped, without code that is loaded on demand. The last measured size, rounded up to 100 bytes. */
  readonly budgetBytes: number;
  readonly goalBytes: number;
}

/** An app that runs a team in the browser. */
const APP = `
import { createOrchestrator, defineAgent, presets } from './src/index.ts';
const echo = defineAgent({ name: 'echo', description: 'Repeats its task', run: ({ task }) => task });
const orchestrator = createOrchestrator({ agents: [echo], policy: presets.boundedReplan() });
const plan = { steps: [{ id: 'say', agent: 'echo', task: 'Say it once more' }] };
document.body.textContent = (await orchestrator.start({ goal: 'Echo', plan }).done).summary;
`;

const MEASURED: readonly Measured[] = [
  {
    name: 'planwright, everything it exports, without its peers',
    entry: `export * from './src/index.ts';`,
    external: ['xstate', 'zod'],
    budgetBytes: 59_700,
    goalBytes: 45_000,
  },
  {
    name: 'an app with createOrchestrator, defineAgent and a preset, with xstate and zod',
    entry: APP,
    external: [],
    budgetBytes: 80_100,
    goalBytes: 75_000,
  },
];

const options = {
  bundle: true,
  splitting: true,
  outdir: 'bundle',
  minify: true,
  write: false,
  metafile: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
} as const satisfies BuildOptions;

for (const measured of MEASURED) {
  const { name, budgetBytes, goalBytes } = measured;
  const { minifiedBytes, gzipBytes, onDemandBytes } = await sizesOf(measured);
  console.log(`${name}:`);
  console.log(`  at once    ${minifiedBytes} bytes minified, ${gzipBytes} gzipped`);
  console.log(`  on demand  ${onDemandBytes} gzipped`);
  console.log(`  budget     ${budgetBytes} gzipped (goal ${goalBytes})`);
  if (gzipBytes > budgetBytes) {
    console.error(`The bundle is ${gzipBytes - budgetBytes} bytes over its budget.`);
    process.exitCode = 1;
  } else if (budgetBytes - gzipBytes >= 100) {
    console.log(`  Lower the budget to ${Math.ceil(gzipBytes / 100) * 100}.`);
  }
}

async function sizesOf({ entry, external }: Measured) {
  const { outputFiles, metafile } = await build({
    ...options,
    stdin: { contents: entry, resolveDir: process.cwd(), sourcefile: 'entry.ts' },
    external: [...external],
  }).catch(() => process.exit(1)); // esbuild has already printed the error
  const atOnce = loadedAtOnce('bundle/stdin.js', metafile.outputs);
  const isAtOnce = (path: string): boolean => [...atOnce].some((file) => path.endsWith(file));
  const first = outputFiles.filter(({ path }) => isAtOnce(path));
  if (first.length !== atOnce.size) throw new Error('A chunk of the bundle is missing');
  return {
    minifiedBytes: first.reduce((sum, { contents }) => sum + contents.byteLength, 0),
    gzipBytes: gzipped(first),
    onDemandBytes: gzipped(outputFiles.filter(({ path }) => !isAtOnce(path))),
  };
}

/** The code that a page loads at once, without code that is loaded on demand, such as time travel. */
function loadedAtOnce(
  file: string,
  outputs: Readonly<
    Record<string, { imports: { path: string; kind: string; external?: boolean }[] }>
  >,
  loaded = new Set<string>(),
): ReadonlySet<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  for (const { path, kind, external } of outputs[file]?.imports ?? []) {
    if (kind === 'import-statement' && external !== true) loadedAtOnce(path, outputs, loaded);
  }
  return loaded;
}

function gzipped(files: readonly { readonly contents: Uint8Array }[]): number {
  return gzipSync(Buffer.concat(files.map(({ contents }) => contents)), { level: 9 }).byteLength;
}

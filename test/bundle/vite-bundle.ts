import { join } from 'node:path';

import { build, createLogger } from 'vite';
import { vi } from 'vitest';

import type { Consumer } from '../package/consumer.js';

export interface ViteBundle {
  /** The folder of the page and its code. */
  readonly folder: string;
  readonly code: string;
  /** The warnings of Vite. */
  readonly warnings: readonly string[];
  /** What is imported at run time and is not in the bundle. */
  readonly imports: readonly string[];
  /** Imports left out because a browser has no such module: Vite replaces them by an empty one. */
  readonly nodeModules: readonly string[];
}

/** Bundles a page that shows the result of a module's `show`, as JSON in its `output` element. */
export const bundleForBrowser = async (project: Consumer, module: string): Promise<ViteBundle> => {
  const name = module.replace('.ts', '');
  project.write(`${name}/index.html`, page);
  project.write(`${name}/main.ts`, main(module));
  const folder = join(project.folder, 'pages', name);
  const warnings: string[] = [];
  const logger = createLogger('silent');
  const warn = (message: string): unknown => warnings.push(message);
  // Under test NODE_ENV is 'test', and Vite would bundle the development builds.
  vi.stubEnv('NODE_ENV', 'production');
  const output = await build({
    root: join(project.folder, name),
    configFile: false,
    envDir: false,
    logLevel: 'warn',
    customLogger: { ...logger, warn, warnOnce: warn },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2022',
      chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
    },
  }).finally(() => vi.unstubAllEnvs());
  return { folder, warnings, ...partsOf(output) };
};

type BuildOutput = Awaited<ReturnType<typeof build>>;

const partsOf = (output: BuildOutput): Pick<ViteBundle, 'code' | 'imports' | 'nodeModules'> => {
  if (!('output' in output)) throw new Error('Vite gave something else than one bundle');
  const chunks = output.output.filter((file) => file.type === 'chunk');
  const own = new Set(chunks.map(({ fileName }) => fileName));
  return {
    code: chunks.map(({ code }) => code).join('\n'),
    imports: chunks
      .flatMap((chunk) => [...chunk.imports, ...chunk.dynamicImports])
      .filter((file) => !own.has(file)),
    nodeModules: chunks
      .flatMap(({ moduleIds }) => moduleIds)
      .filter((id) => id.includes('__vite-browser-external') || id.startsWith('node:')),
  };
};

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Planwright in a page</title>
    <link rel="icon" href="data:," />
    <script type="module" src="./main.ts"></script>
  </head>
  <body>
    <output></output>
  </body>
</html>
`;

const main = (module: string): string => `
import { show } from '../${module}';
document.querySelector('output').textContent = JSON.stringify(await show());
`;

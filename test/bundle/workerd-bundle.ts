import { join } from 'node:path';

import { build } from 'esbuild';

import type { Consumer } from '../package/consumer.js';

export interface WorkerdBundle {
  /** One module, as it would be deployed. */
  readonly code: string;
  /** What it imports when it is loaded. */
  readonly imports: readonly string[];
}

/** Bundles a worker that answers every request with the result of a module's `show`, as JSON. */
export const bundleForWorkerd = async (
  project: Consumer,
  module: string,
): Promise<WorkerdBundle> => {
  project.write(`worker-of-${module}`, worker(module));
  const { outputFiles, metafile } = await build({
    entryPoints: [join(project.folder, `worker-of-${module}`)],
    absWorkingDir: project.folder,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'neutral',
    conditions: ['workerd', 'worker', 'browser'],
    target: 'es2022',
    logLevel: 'silent',
  });
  return {
    code: outputFiles.map(({ text }) => text).join('\n'),
    imports: Object.values(metafile.outputs).flatMap(({ imports }) =>
      imports.map(({ path }) => path),
    ),
  };
};

const worker = (module: string): string => `
import { show } from './${module}';
export default { fetch: async () => Response.json(await show()) };
`;

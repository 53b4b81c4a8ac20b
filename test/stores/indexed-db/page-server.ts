import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { build } from 'esbuild';

import type { StaticServer } from '../../bundle/static-server.js';
import { serveFolder } from '../../bundle/static-server.js';

/** Bundles a module of this folder and serves a page that loads it. */
export const servePage = async (module: string): Promise<StaticServer> => {
  const folder = mkdtempSync(join(tmpdir(), 'planwright-indexed-db-'));
  await build({
    entryPoints: [join(import.meta.dirname, module)],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    outfile: join(folder, 'page.js'),
    logLevel: 'error',
  });
  const script = '<script type="module" src="./page.js"></script>';
  writeFileSync(join(folder, 'index.html'), `<!doctype html><title>Stores</title>${script}`);
  const { url, close } = await serveFolder(folder);
  return {
    url,
    close: async () => {
      await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

/* `planwright/openai` is a separate entry point: users who do not import it do not need the client. */

const root = join(import.meta.dirname, '../..');

const bundle = async (entry: string) => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'silent',
    external: ['xstate', 'zod', 'openai'],
  });
  return {
    files: Object.keys(metafile.inputs),
    packages: Object.values(metafile.outputs).flatMap(({ imports }) =>
      imports.map(({ path }) => path),
    ),
  };
};

describe('the main entry point', () => {
  it('imports neither the client nor its users', async () => {
    const { files, packages } = await bundle('src/index.ts');
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter((file) => file.includes('openai'))).toEqual([]);
    expect(packages.filter((name) => name.startsWith('openai'))).toEqual([]);
  });
});

describe('planwright/openai', () => {
  it('imports no orchestrator, and runs without Node', async () => {
    const { files, packages } = await bundle('src/services/openai/index.ts');
    expect(files).toContain('src/services/openai/ask.ts');
    expect(files.filter((file) => /src\/(?:machines|kernel|run|actors)\//.test(file))).toEqual([]);
    expect([...new Set(packages)].sort()).toEqual(['openai', 'openai/helpers/zod', 'zod/mini']);
  });

  it('is exported, and the client is an optional peer', () => {
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      exports: Record<string, unknown>;
      peerDependencies: Record<string, string>;
      peerDependenciesMeta: Record<string, unknown>;
      dependencies?: unknown;
    };
    expect(manifest.exports['./openai']).toEqual({
      types: './dist/services/openai/index.d.ts',
      node: './dist/node/openai.js',
      default: './dist/services/openai/index.js',
    });
    expect(manifest.peerDependencies['openai']).toMatch(/^\^6/);
    expect(manifest.peerDependenciesMeta['openai']).toEqual({ optional: true });
    expect(manifest.dependencies).toBeUndefined();
  });
});

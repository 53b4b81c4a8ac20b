import vm from 'node:vm';

import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';

interface Bundle {
  runByKernel(): Promise<string>;
  runByXState(): Promise<string>;
}

/** Only what browsers and workerd have in common; no process, no require, no Buffer. */
const webGlobals = {
  AbortController,
  AbortSignal,
  TextDecoder,
  TextEncoder,
  URL,
  clearTimeout,
  console,
  crypto,
  queueMicrotask,
  setTimeout,
  structuredClone,
};

describe('a browser bundle', () => {
  let bundle: Bundle;

  beforeAll(async () => {
    const { outputFiles } = await build({
      entryPoints: ['test/bundle/entry.ts'],
      bundle: true,
      write: false,
      format: 'iife',
      globalName: 'bundle',
      platform: 'browser',
      target: 'es2022',
      logLevel: 'silent',
    });
    const context = vm.createContext({ ...webGlobals });
    vm.runInContext(outputFiles[0]!.text, context);
    bundle = (context as { bundle: Bundle }).bundle;
  });

  it('runs a goal where there is no Node', async () => {
    expect(await bundle.runByKernel()).toBe('completed: first, second');
  });

  it('runs the machine with plain createActor where there is no Node', async () => {
    expect(await bundle.runByXState()).toBe('completed');
  });
});

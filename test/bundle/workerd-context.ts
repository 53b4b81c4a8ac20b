import vm from 'node:vm';

import { transform } from 'esbuild';

/*
 * A stand-in for workerd. Its npm package runs an install script and has a binary for every platform. So the bundle
 * that would be deployed runs here in an empty context with only what workerd offers, under the rules of workerd that
 * most often break libraries: no code from strings, and no timers, requests or random numbers while the module is
 * loaded.
 */

interface Worker {
  fetch(request: Request): Promise<Response>;
}

export const loadWorker = async (code: string): Promise<Worker> => {
  const { code: script } = await transform(code, { format: 'iife', globalName: 'loaded' });
  const { globals, startServing } = workerdGlobals();
  const context = vm.createContext(globals, { codeGeneration: { strings: false, wasm: false } });
  vm.runInContext(script, context);
  startServing();
  return (context as unknown as { loaded: { default: Worker } }).loaded.default;
};

const workerdGlobals = (): {
  readonly globals: Record<string, unknown>;
  readonly startServing: () => void;
} => {
  let isServing = false;
  const onlyInHandlers = <Args extends unknown[], Result>(
    name: string,
    operation: (...args: Args) => Result,
  ): ((...args: Args) => Result) => {
    return (...args) => {
      if (!isServing) throw new Error(`Disallowed operation called within global scope: ${name}`);
      return operation(...args);
    };
  };
  return {
    globals: {
      ...plainGlobals,
      setTimeout: onlyInHandlers('setTimeout', setTimeout),
      setInterval: onlyInHandlers('setInterval', setInterval),
      fetch: onlyInHandlers('fetch', fetch),
      crypto: {
        subtle: crypto.subtle,
        randomUUID: onlyInHandlers('randomUUID', () => crypto.randomUUID()),
        getRandomValues: onlyInHandlers('getRandomValues', (array: Uint8Array<ArrayBuffer>) =>
          crypto.getRandomValues(array),
        ),
      },
    },
    startServing: () => {
      isServing = true;
    },
  };
};

/** No process, no require, no Buffer, no window. */
const plainGlobals = {
  AbortController,
  AbortSignal,
  Blob,
  Event,
  EventTarget,
  FormData,
  Headers,
  ReadableStream,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
  TransformStream,
  URL,
  URLSearchParams,
  WritableStream,
  atob,
  btoa,
  clearInterval,
  clearTimeout,
  console,
  navigator: { userAgent: 'Cloudflare-Workers' },
  performance,
  queueMicrotask,
  structuredClone,
};

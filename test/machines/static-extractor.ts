import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';

import type { extractMachinesFromFile } from '@xstate/machine-extractor';
import { build } from 'esbuild';
import type { AnyStateMachine } from 'xstate';
import { createMachine } from 'xstate';

/**
 * Stately's static reader of machines: it reads the text and runs nothing. It is older than XState 5 and imports two
 * files of XState 4, for the helpers of inline actions. Our charts have none, so a bundle with empty replacements of
 * those files behaves the same.
 */
export const staticExtractor = async (): Promise<(source: string) => AnyStateMachine> => {
  const { extractMachinesFromFile } = await bundledExtractor();
  return (source) => {
    const machines = extractMachinesFromFile(source)?.machines ?? [];
    const [config] = machines.map((machine) => machine?.toConfig());
    if (machines.length !== 1 || config === undefined) throw new Error('Expected one machine');
    return createMachine(stateOf(config as ExtractedState) as never);
  };
};

interface Extractor {
  readonly extractMachinesFromFile: typeof extractMachinesFromFile;
}

const bundledExtractor = async (): Promise<Extractor> => {
  const { outputFiles } = await build({
    entryPoints: ['@xstate/machine-extractor'],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    logLevel: 'silent',
    plugins: [
      {
        name: 'nothing-of-xstate-4',
        setup: ({ onResolve, onLoad }) => {
          onResolve({ filter: /^xstate\/lib\// }, ({ path }) => ({ path, namespace: 'nothing' }));
          onLoad({ filter: /./, namespace: 'nothing' }, () => ({ contents: '' }));
        },
      },
    ],
  });
  const module = { exports: {} };
  const evaluate = compileFunction(outputFiles[0]?.text ?? '', ['module', 'require']) as (
    ...values: unknown[]
  ) => void;
  evaluate(module, createRequire(import.meta.url));
  return module.exports as Extractor;
};

// ---- From its output, in the terms of XState 4, to what XState 5 takes --------------------------

interface ExtractedState {
  readonly [key: string]: unknown;
  readonly on?: Transitions;
  readonly after?: Transitions;
  readonly always?: unknown;
  readonly invoke?: unknown;
  readonly states?: Readonly<Record<string, ExtractedState>>;
}

type Transitions = Readonly<Record<string, unknown>>;

const stateOf = ({ on, after, always, invoke, states, ...state }: ExtractedState): object => ({
  id: state['id'],
  initial: state['initial'],
  type: state['type'],
  on: mapped(on, transitionsOf),
  after: mapped(after, transitionsOf),
  always: transitionsOf(always),
  invoke: listOf(invoke).map(invokeOf),
  states: mapped(states, stateOf),
});

const invokeOf = (invoke: unknown): object => {
  const { id, src, onDone, onError } = invoke as {
    readonly id: string;
    readonly src: unknown;
    readonly onDone: unknown;
    readonly onError: unknown;
  };
  return { id, src, onDone: transitionsOf(onDone), onError: transitionsOf(onError) };
};

const transitionsOf = (transitions: unknown): object[] =>
  listOf(transitions).map((transition) => {
    if (typeof transition === 'string') return { target: transition };
    const { target, cond } = transition as {
      readonly target?: string;
      readonly cond?: { readonly type: string; readonly params: object };
    };
    return cond === undefined
      ? { target }
      : { target, guard: { type: cond.type, params: cond.params } };
  });

const listOf = (value: unknown): unknown[] => {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as unknown[]) : [value];
};

const mapped = <From, To>(
  values: Readonly<Record<string, From>> | undefined,
  change: (value: From) => To,
): Record<string, To> =>
  Object.fromEntries(Object.entries(values ?? {}).map(([key, value]) => [key, change(value)]));

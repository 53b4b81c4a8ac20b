import type { AnyActorRef, AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';

import type { ChartRunner, Transitioned } from '../chart-runner.js';
import { restoredSnapshot } from '../chart-runner.js';
import type { Inspect } from '../inert.js';
import { TraceRecorder } from './trace-recorder.js';
import type { ReplayStart } from './trace-replay.js';
import { replayTrace } from './trace-replay.js';
import { Trace } from './trace.js';
import type { NodeShape } from '../xstate-shapes.js';
import { childrenOf, nodesOf, selected } from '../xstate-shapes.js';

/** What is known about one configuration of active states, by event type. */
type Configuration = Map<string, Trace>;

const NO_CHILDREN = {};

/** For tests: compares a replayed transition with XState's own. */
export type Verify = (event: EventObject, replayed: Transitioned, ask: () => Transitioned) => void;

/**
 * Calls XState's transition functions the first time and repeats the recorded transition afterwards. XState decided
 * which guards are evaluated and which actions are taken; where the guards lead to a new path, it decides again.
 * Inspectors see each path once.
 */
export const tracingRunner = (
  chart: AnyStateMachine,
  verify?: Verify,
  inspect?: Inspect,
): ChartRunner => {
  const recorder = new TraceRecorder(chart, inspect);
  const { machine } = recorder;
  const configurations = new ConfigurationTable();
  const beginning = new Trace();

  const begin = (self: AnyActorRef, input: unknown): Transitioned => {
    const event = { type: 'xstate.init', input };
    const context = selected(machine.config.context, { input, self }) as object;
    const known = attempt(beginning, { machine, self, event, context, children: NO_CHILDREN });
    if (known !== undefined) {
      verify?.(event, known, () => recorder.begin(self, input));
      return known;
    }
    const recording = recorder.begin(self, input);
    beginning.add(recording.operations, recording.ending);
    return recording;
  };

  const advance = (
    self: AnyActorRef,
    snapshot: AnyMachineSnapshot,
    event: EventObject,
  ): Transitioned => {
    const trace = configurations.traceOf(snapshot, event.type);
    const context = snapshot.context as object;
    const known = attempt(trace, { machine, self, event, context, children: childrenOf(snapshot) });
    if (known !== undefined) {
      verify?.(event, known, () => recorder.advance(self, snapshot, event));
      return known;
    }
    const recording = recorder.advance(self, snapshot, event);
    trace.add(recording.operations, recording.ending);
    return recording;
  };

  return { begin, advance, restore: (saved) => restoredSnapshot(machine, saved) };
};

/** When a callback throws, XState handles it. */
const attempt = (trace: Trace, start: ReplayStart): Transitioned | undefined => {
  if (trace.root === undefined) return undefined;
  try {
    return replayTrace(trace.root, start);
  } catch {
    return undefined;
  }
};

/** Finds a configuration by its nodes: by identity where it was seen before, otherwise by their ids. */
class ConfigurationTable {
  readonly #byNodes = new WeakMap<readonly NodeShape[], Configuration>();
  readonly #byIds = new Map<string, Configuration>();

  traceOf(snapshot: AnyMachineSnapshot, eventType: string): Trace {
    const configuration = this.#configurationOf(nodesOf(snapshot));
    let trace = configuration.get(eventType);
    if (trace === undefined) {
      trace = new Trace();
      configuration.set(eventType, trace);
    }
    return trace;
  }

  #configurationOf(nodes: readonly NodeShape[]): Configuration {
    const known = this.#byNodes.get(nodes);
    if (known !== undefined) return known;
    const ids = nodes.map((node) => node.id).join(' ');
    const configuration = this.#byIds.get(ids) ?? new Map<string, Trace>();
    this.#byIds.set(ids, configuration);
    this.#byNodes.set(nodes, configuration);
    return configuration;
  }
}

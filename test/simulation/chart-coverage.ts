import type { AnyStateMachine, AnyStateNode, TransitionDefinition } from 'xstate';

import type { ChartRunner, Transitioned } from '../../src/kernel/chart-runner.js';
import { restoredSnapshot } from '../../src/kernel/chart-runner.js';
import type { RequestedAction } from '../../src/kernel/inert.js';
import { collectingScope, withInertActors } from '../../src/kernel/inert.js';

type Transition = TransitionDefinition<never, never>;

/** One state or transition of a chart, and in how many worlds it was taken. */
export interface Covered {
  readonly chart: string;
  readonly name: string;
  worlds: number;
}

/** Counts which states and transitions of the charts worlds take, as XState reports them, microstep by microstep. */
export class ChartCoverage {
  readonly states = new Map<string, Covered>();
  readonly transitions = new Map<string, Covered>();
  /** What the current world has taken so far. */
  readonly #now = new Set<Covered>();

  /** A runner for the kernel that observes everything and changes nothing. */
  readonly runnerOf = (chart: AnyStateMachine): ChartRunner => {
    const machine = withInertActors(chart);
    for (const node of nodesOf(machine.root)) {
      this.#entry(this.states, machine.id, node.id);
      for (const transition of transitionsOf(node)) {
        this.#entry(this.transitions, machine.id, nameOf(transition));
      }
    }
    const scopeOf = (...[self, actions]: Parameters<typeof collectingScope>) => {
      const scope = collectingScope(self, actions);
      const _sendInspectionEvent = (event: Microstep): void => {
        if (event.type !== '@xstate.microstep') return;
        for (const transition of event._transitions) {
          this.#now.add(this.#entry(this.transitions, machine.id, nameOf(transition)));
        }
        for (const node of event.snapshot._nodes) {
          this.#now.add(this.#entry(this.states, machine.id, node.id));
        }
      };
      return { ...scope, system: { ...scope.system, _sendInspectionEvent } } as typeof scope;
    };
    const note = (transitioned: Transitioned): Transitioned => {
      for (const node of (transitioned.snapshot as unknown as Settled)._nodes) {
        this.#now.add(this.#entry(this.states, machine.id, node.id));
      }
      return transitioned;
    };
    return {
      begin: (self, input) => {
        const actions: RequestedAction[] = [];
        const snapshot = machine.getInitialSnapshot(scopeOf(self, actions), input);
        return note({ snapshot: snapshot as Transitioned['snapshot'], actions });
      },
      advance: (self, snapshot, event) => {
        const actions: RequestedAction[] = [];
        const next = machine.transition(snapshot, event, scopeOf(self, actions));
        return note({ snapshot: next as Transitioned['snapshot'], actions });
      },
      restore: (saved) => restoredSnapshot(machine, saved),
    };
  };

  /** Ends a world. */
  count(): void {
    for (const covered of this.#now) covered.worlds += 1;
    this.#now.clear();
  }

  #entry(map: Map<string, Covered>, chart: string, name: string): Covered {
    const key = `${chart} ${name}`;
    const known = map.get(key) ?? { chart, name, worlds: 0 };
    map.set(key, known);
    return known;
  }
}

interface Settled {
  readonly _nodes: readonly AnyStateNode[];
}

interface Microstep {
  readonly type: string;
  readonly snapshot: Settled;
  readonly _transitions: readonly Transition[];
}

const nodesOf = (node: AnyStateNode): AnyStateNode[] => [
  node,
  ...Object.values(node.states).flatMap(nodesOf),
];

const transitionsOf = (node: AnyStateNode): Transition[] =>
  [...node.transitions.values(), node.always ?? []].flat() as unknown as Transition[];

const nameOf = ({ source, eventType, target, guard }: Transition): string => {
  const targets = (target ?? []).map(({ key }) => key).join('+');
  const judged = typeof guard === 'object' ? (guard as { readonly type: string }).type : guard;
  const when = typeof judged === 'string' ? ` [${judged}]` : '';
  return `${source.id} ${eventOf(eventType)}${when} -> ${targets}`;
};

/** XState names eventless transitions by an empty text. */
const eventOf = (eventType: string): string => (eventType === '' ? 'always' : eventType);

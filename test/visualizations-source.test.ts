import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';

import { describe, expect, it } from 'vitest';
import type { AnyMachineSnapshot, AnyStateMachine, AnyStateNode } from 'xstate';
import {
  assign,
  createActor,
  fromPromise,
  initialTransition,
  raise,
  setup,
  transition,
} from 'xstate';

import { charts } from '../scripts/visualize.js';
import { statesOf } from '../scripts/visualize/transitions.js';
import { agentCallMachine } from '../visualizations/agent-call.machine.js';
import { approvalMachine } from '../visualizations/approval.machine.js';
import { breakerMachine } from '../visualizations/breaker.machine.js';
import { orchestratorMachine } from '../visualizations/orchestrator.machine.js';
import { stepMachine } from '../visualizations/step.machine.js';
import { edgesOf, edgesWithoutChoices } from './machines/machine-edges.js';

/* The files to paste. Importing them here makes `npm run typecheck` check them, too. */

const pastedMachines: Readonly<Record<string, AnyStateMachine>> = {
  orchestrator: orchestratorMachine,
  step: stepMachine,
  'agent-call': agentCallMachine,
  approval: approvalMachine,
  breaker: breakerMachine,
};

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

const TRANSITIONS = new Set(['always', 'onDone', 'onError']);

/** A definition without the choices, with lists for all transitions and actions. */
const chartIn = (value: unknown, key = '', parent = ''): unknown => {
  if (key === 'actions') return listOf(value).filter((action) => action !== 'forget');
  if (TRANSITIONS.has(key) || parent === 'on' || parent === 'after') {
    return listOf(value).map((each) => chartIn(typeof each === 'string' ? { target: each } : each));
  }
  if (Array.isArray(value)) return value.map((each: unknown) => chartIn(each));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(
      ([name, each]) => !name.startsWith('choose.') && !(name === 'guard' && each === 'otherwise'),
    )
    .map(([name, each]): [string, unknown] => [name, chartIn(each, name, key)])
    .filter(([name, each]) => !EMPTY.has(`${name} ${JSON.stringify(each)}`));
  return Object.fromEntries(entries);
};

const EMPTY = new Set(['on {}', 'actions []', 'context {"chosen":null}']);

const CHOICES = ['choose', 'forget', 'happen', 'otherwise'];

const namesOf = ({ implementations }: AnyStateMachine): unknown =>
  Object.entries(implementations).map(([kind, named]) => [
    kind,
    Object.keys(named as object)
      .filter((name) => !CHOICES.includes(name))
      .sort(),
  ]);

/** The events that a person can click: those of all active states. A wildcard is not an event. */
const offeredIn = (snapshot: AnyMachineSnapshot): string[] => [
  ...new Set(
    nodesOf(snapshot)
      .flatMap(({ ownEvents }) => ownEvents as readonly string[])
      .filter((type) => !type.startsWith('xstate.') && !type.includes('*')),
  ),
];

const nodesOf = ({ _nodes }: AnyMachineSnapshot): readonly AnyStateNode[] => _nodes;

interface Place {
  readonly snapshot: AnyMachineSnapshot;
  readonly clicks: readonly string[];
}

/** Clicks that lead to each state, found breadth-first. A place is left out when each of its states was seen with its choice. */
const clicksToStates = (machine: AnyStateMachine): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, readonly string[]>();
  const seen = new Set<string>();
  const [first] = initialTransition(machine);
  const places: Place[] = [{ snapshot: first, clicks: [] }];
  for (const { snapshot, clicks } of places) {
    const { chosen } = snapshot.context as { readonly chosen: string | null };
    const before = seen.size;
    for (const { id } of nodesOf(snapshot)) {
      if (!found.has(id)) found.set(id, clicks);
      seen.add(`${id} ${chosen ?? ''}`);
    }
    if (seen.size === before || snapshot.status !== 'active') continue;
    for (const type of offeredIn(snapshot)) {
      const [next] = transition(machine, snapshot, { type });
      places.push({ snapshot: next, clicks: [...clicks, type] });
    }
  }
  return found;
};

describe.each(charts)('the chart %s to paste', (name, machine) => {
  const source = readFileSync(
    join(import.meta.dirname, '..', 'visualizations', `${name}.machine.ts`),
    'utf8',
  );

  it('is the definition of the running machine, with every name it has', () => {
    const pasted = pastedMachines[name]!;
    expect(chartIn(plain(pasted.config))).toEqual(chartIn(plain(machine.config)));
    expect(namesOf(pasted)).toEqual(namesOf(machine));
    expect(edgesWithoutChoices(pasted)).toEqual(edgesOf(machine));
  });

  it('waits for clicks, and clicks lead to every state', () => {
    const pasted = pastedMachines[name]!;
    const found = clicksToStates(pasted);
    const states = statesOf(pasted.root).map(({ id }) => id);
    expect(states.filter((id) => !found.has(id))).toEqual([]);
    for (const [id, clicks] of found) {
      const actor = createActor(pasted).start();
      for (const type of clicks) actor.send({ type });
      const nodes = nodesOf(actor.getSnapshot() as AnyMachineSnapshot);
      expect(nodes.map((node) => node.id)).toContain(id);
      actor.stop();
    }
  });

  it('needs only its imports from xstate', () => {
    const imports = /^import \{([^}]*)\} from 'xstate';$/m;
    const taken = imports
      .exec(source)?.[1]
      ?.split(',')
      .map((word) => word.trim());
    expect(taken).toEqual(
      name === 'breaker' || name === 'approval'
        ? ['assign', 'raise', 'setup']
        : ['assign', 'fromPromise', 'raise', 'setup'],
    );
    expect(source.match(/\b(?:import|require)\b/g)).toEqual(['import']);

    // As Stately Sketch does it: without imports and exports, and only with the names of xstate.
    const script = source.replace(imports, '').replace('export const', 'var');
    const scope: Record<string, unknown> = { assign, fromPromise, raise, setup };
    runInNewContext(script, scope);
    const run = scope[`${machine.id}Machine`] as AnyStateMachine;
    expect(edgesWithoutChoices(run)).toEqual(edgesOf(machine));
  });
});

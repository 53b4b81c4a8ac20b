import { describe, expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';

import { agentCallMachine } from '../../src/machines/agent-call/chart.js';
import { approvalMachine } from '../../src/machines/approval/chart.js';
import { breakerMachine } from '../../src/machines/breaker/chart.js';
import { createOrchestratorMachine } from '../../src/machines/orchestrator/chart.js';
import { stepMachine } from '../../src/machines/step/chart.js';
import { presets } from '../../src/policy/presets.js';

/* The rules of every chart, checked on the charts themselves. */

const orchestratorMachine = createOrchestratorMachine({
  policy: presets.supervised(),
  team: {
    agents: ['coder'],
    fallbacks: [],
    hasPlanner: true,
    hasSupervisor: true,
    hasTester: true,
    hasSummarizer: true,
  },
});

interface StateConfig {
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly type?: string;
  readonly entry?: unknown;
  readonly exit?: unknown;
  readonly invoke?: Readonly<Record<string, unknown>>;
  readonly on?: Readonly<Record<string, unknown>>;
  readonly always?: unknown;
  readonly after?: Readonly<Record<string, unknown>>;
  readonly states?: Readonly<Record<string, StateConfig>>;
}

interface PlacedState {
  readonly path: string;
  readonly state: StateConfig;
  readonly ancestors: readonly StateConfig[];
}

const statesOf = (
  state: StateConfig,
  path: string,
  ancestors: readonly StateConfig[] = [],
): PlacedState[] =>
  Object.entries(state.states ?? {}).flatMap(([key, child]) => [
    { path: `${path}.${key}`, state: child, ancestors: [...ancestors, state] },
    ...statesOf(child, `${path}.${key}`, [...ancestors, state]),
  ]);

const listOf = (value: unknown): unknown[] => {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as unknown[]) : [value];
};

interface TransitionConfig {
  readonly guard?: unknown;
  readonly actions?: unknown;
  readonly target?: unknown;
}

const transitionsOf = ({ on, always, after, invoke }: StateConfig): TransitionConfig[] =>
  [
    ...Object.values(on ?? {}),
    always,
    ...Object.values(after ?? {}),
    invoke?.['onDone'],
    invoke?.['onError'],
  ]
    .flatMap(listOf)
    .map((transition) =>
      typeof transition === 'string' ? { target: transition } : (transition as TransitionConfig),
    );

const isNamed = (reference: unknown): boolean =>
  typeof reference === 'string' ||
  (typeof reference === 'object' && reference !== null && 'type' in reference);

const KEY_ORDER = [
  'id',
  'description',
  'tags',
  'meta',
  'type',
  'initial',
  'entry',
  'invoke',
  'on',
  'always',
  'after',
  'exit',
  'states',
  'onDone',
  'output',
];

const charts: Record<string, AnyStateMachine> = {
  orchestrator: orchestratorMachine,
  step: stepMachine,
  agentCall: agentCallMachine,
  approval: approvalMachine,
  breaker: breakerMachine,
};

describe.each(Object.entries(charts))('the chart %s', (id, machine) => {
  const root = machine.config as StateConfig & {
    readonly id?: string;
    readonly options?: { readonly maxIterations?: number };
  };
  const states = statesOf(root, id);

  it('is named, described and cannot loop for ever', () => {
    expect(root.id).toBe(id);
    expect(root.description).toMatch(/\w/);
    expect(root.options?.maxIterations).toBeLessThanOrEqual(1_000);
  });

  it.each(states)('$path has a description', ({ state }) => {
    expect(state.description).toMatch(/\w.*[.?]$/);
  });

  it.each(states)('$path has its keys in the order of CONTRIBUTING.md', ({ state }) => {
    const places = Object.keys(state).map((key) => KEY_ORDER.indexOf(key));
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((left, right) => left - right));
  });

  it.each([{ path: id, state: root }, ...states])(
    '$path refers to everything by name',
    ({ state }) => {
      const actions = [
        ...listOf(state.entry),
        ...listOf(state.exit),
        ...transitionsOf(state).flatMap(({ actions }) => listOf(actions)),
      ];
      const guards = transitionsOf(state).flatMap(({ guard }) => listOf(guard));
      expect(actions.every(isNamed)).toBe(true);
      expect(guards.every(isNamed)).toBe(true);
      expect(Object.keys(state.after ?? {}).every((delay) => Number.isNaN(Number(delay)))).toBe(
        true,
      );
    },
  );

  it.each(states.filter(({ state }) => state.invoke !== undefined))(
    '$path has an id, onDone and onError for what it invokes',
    ({ state }) => {
      expect([typeof state.invoke?.['id'], typeof state.invoke?.['src']]).toEqual([
        'string',
        'string',
      ]);
      expect(listOf(state.invoke?.['onDone'])).not.toEqual([]);
      expect(listOf(state.invoke?.['onError'])).not.toEqual([]);
    },
  );

  it('has no state that waits without a deadline', () => {
    const waitingForEver = states.filter(({ state, ancestors }) => {
      const isAtomic = state.states === undefined && state.type !== 'final';
      const isPassing = listOf(state.always).some(
        (transition) => (transition as TransitionConfig).guard === undefined,
      );
      const line = [...ancestors, state];
      const hasTimeExit = line.some((node) => node.after !== undefined);
      const isUnderClock = line.some(
        (node) => node.type === 'parallel' && node.states?.['clock'] !== undefined,
      );
      const isAnswering = state.tags?.includes('accepting') ?? false;
      // The approval chart has its own deadline; a chart that sends itself an event waits for nothing else.
      const hasOwnDeadline = state.invoke?.['src'] === 'approval';
      const isSelfSent = listOf(state.entry).includes('takeTurn');
      const endsByItself = isAnswering || hasOwnDeadline || isSelfSent;
      return isAtomic && !isPassing && !hasTimeExit && !isUnderClock && !endsByItself;
    });
    expect(waitingForEver.map(({ path }) => path)).toEqual([]);
  });

  it('names the states that only decide as decisions, and no others', () => {
    const deciding = states.filter(({ state: { always, on, after, invoke, type } }) => {
      const hasDefault = listOf(always).some(
        (transition) => (transition as TransitionConfig).guard === undefined,
      );
      return (
        hasDefault &&
        on === undefined &&
        after === undefined &&
        invoke === undefined &&
        type === undefined
      );
    });
    const named = states.filter(({ path }) => path.endsWith('Decision'));
    expect(named.map(({ path }) => path)).toEqual(deciding.map(({ path }) => path));
  });

  it('uses every guard, action and delay that it names, and names every one that it uses', () => {
    const used = new Set<string>();
    const note = (reference: unknown): void => {
      const name = typeof reference === 'string' ? reference : (reference as { type: string }).type;
      used.add(name);
    };
    for (const { state } of [{ state: root }, ...states]) {
      [...listOf(state.entry), ...listOf(state.exit)].forEach(note);
      for (const { guard, actions } of transitionsOf(state)) {
        [...listOf(guard), ...listOf(actions)].forEach(note);
      }
      Object.keys(state.after ?? {}).forEach(note);
    }
    const { guards, actions, delays } = machine.implementations;
    const named = [guards, actions, delays].flatMap((kind) => Object.keys(kind as object));
    expect([...used].sort()).toEqual(named.sort());
  });
});

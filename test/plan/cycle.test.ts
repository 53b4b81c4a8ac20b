import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { findCycle } from '../../src/plan/cycle.js';

interface Node {
  readonly id: string;
  readonly dependsOn: string[];
}

const chain = (length: number, first: string[] = []): Node[] =>
  Array.from({ length }, (_, index) => ({
    id: `s${index}`,
    dependsOn: index === 0 ? first : [`s${index - 1}`],
  }));

/** Graphs with every kind of edge: forwards, backwards, to themselves, to nowhere. */
const anyGraph: fc.Arbitrary<Node[]> = fc.nat(8).chain((size) =>
  fc
    .array(fc.array(fc.nat(size), { maxLength: 3 }), { minLength: size, maxLength: size })
    .map((edges) =>
      edges.map((targets, index) => ({
        id: `s${index}`,
        dependsOn: targets.map((target) => `s${target}`),
      })),
    ),
);

/** Kahn's algorithm: what is left when everything without open dependencies is taken away. */
const hasCycle = (nodes: readonly Node[]): boolean => {
  let left = [...nodes];
  for (;;) {
    const ids = new Set(left.map(({ id }) => id));
    const next = left.filter(({ dependsOn }) => dependsOn.some((id) => ids.has(id)));
    if (next.length === left.length) return left.length > 0;
    left = next;
  }
};

describe('findCycle', () => {
  it('finds a cycle exactly when there is one, and it is one', () => {
    fc.assert(
      fc.property(anyGraph, (nodes) => {
        const cycle = findCycle(nodes);
        expect(cycle !== undefined).toBe(hasCycle(nodes));
        if (cycle === undefined) return;
        expect(cycle.length).toBeGreaterThan(1);
        expect(cycle[0]).toBe(cycle.at(-1));
        expect(new Set(cycle).size).toBe(cycle.length - 1);
        for (const [position, id] of cycle.slice(0, -1).entries()) {
          expect(nodes.find((node) => node.id === id)?.dependsOn).toContain(cycle[position + 1]);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('names the steps of the cycle and not the way to it', () => {
    const nodes = [
      { id: 'start', dependsOn: ['a'] },
      { id: 'a', dependsOn: ['b'] },
      { id: 'b', dependsOn: ['a'] },
    ];
    expect(findCycle(nodes)).toEqual(['a', 'b', 'a']);
  });

  it('takes a step that waits for itself for the smallest cycle', () => {
    expect(findCycle([{ id: 'a', dependsOn: ['a'] }])).toEqual(['a', 'a']);
  });

  it('finds a cycle of fifty steps', () => {
    expect(findCycle(chain(50, ['s49']))).toHaveLength(51);
  });

  it('goes to the end of 100,000 steps in a row, from either side, without a stack to overflow', () => {
    expect(findCycle(chain(100_000))).toBeUndefined();
    expect(findCycle(chain(100_000).reverse())).toBeUndefined();
    expect(findCycle(chain(100_000, ['s99999']))).toHaveLength(100_001);
  });

  it('looks at every step once, however many ways lead to it', () => {
    const layers = Array.from({ length: 60 }, (_, layer) =>
      ['l', 'r'].map((side) => ({
        id: `${side}${layer}`,
        dependsOn: layer === 0 ? [] : [`l${layer - 1}`, `r${layer - 1}`],
      })),
    );
    expect(findCycle(layers.flat().reverse())).toBeUndefined();
  });

  it('finds nothing in nothing, and is not bothered by steps that are elsewhere', () => {
    expect(findCycle([])).toBeUndefined();
    expect(findCycle([{ id: 'a', dependsOn: ['elsewhere'] }])).toBeUndefined();
  });
});

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

/** Graphs with every kind of edge: forwards, backwards, to themselves, to missing steps. */
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

/** Kahn's algorithm: what is left after removing every step without open dependencies. */
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
  it('finds a cycle exactly when there is one, and its result is a cycle', () => {
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

  it('names the steps of the cycle and not the path to it', () => {
    const nodes = [
      { id: 'start', dependsOn: ['a'] },
      { id: 'a', dependsOn: ['b'] },
      { id: 'b', dependsOn: ['a'] },
    ];
    expect(findCycle(nodes)).toEqual(['a', 'b', 'a']);
  });

  it('counts a step that depends on itself as the smallest cycle', () => {
    expect(findCycle([{ id: 'a', dependsOn: ['a'] }])).toEqual(['a', 'a']);
  });

  it('finds a cycle of fifty steps', () => {
    expect(findCycle(chain(50, ['s49']))).toHaveLength(51);
  });

  it('traverses 100,000 steps in a row, from either side, without a stack overflow', () => {
    expect(findCycle(chain(100_000))).toBeUndefined();
    expect(findCycle(chain(100_000).reverse())).toBeUndefined();
    expect(findCycle(chain(100_000, ['s99999']))).toHaveLength(100_001);
  });

  it('visits every step once, however many paths lead to it', () => {
    const layers = Array.from({ length: 60 }, (_, layer) =>
      ['l', 'r'].map((side) => ({
        id: `${side}${layer}`,
        dependsOn: layer === 0 ? [] : [`l${layer - 1}`, `r${layer - 1}`],
      })),
    );
    expect(findCycle(layers.flat().reverse())).toBeUndefined();
  });

  it('finds nothing in an empty plan, and ignores missing steps', () => {
    expect(findCycle([])).toBeUndefined();
    expect(findCycle([{ id: 'a', dependsOn: ['elsewhere'] }])).toBeUndefined();
  });
});

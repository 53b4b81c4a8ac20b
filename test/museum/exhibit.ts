import type { AnyMachineSnapshot, AnyStateMachine, ContextFrom } from 'xstate';

import type { Property, SearchResult } from './explore.js';
import { explore, seenIn } from './explore.js';

/** What a visitor reads, and what the search has to find. */
interface Label {
  /** Short and stable: the name in tests, and the anchor on the page. */
  readonly id: string;
  readonly title: string;
  /** Where the defect is from: a seed and its number in the checklist, or a project and its issue. */
  readonly source: string;
  readonly story: string;
  /** What the broken chart breaks and the fixed one keeps. */
  readonly promise: string;
  /** How our charts rule it out, with the name of the state or guard and of the test that holds it. */
  readonly ruledOut: string;
  /** The length of a shortest way into the defect, a circle counted once. */
  readonly shortest: number;
}

/** A defect on show. */
export interface Exhibit extends Label {
  readonly broken: AnyStateMachine;
  readonly fixed: AnyStateMachine;
  readonly property: Property<unknown>['kind'];
  readonly search: (chart: AnyStateMachine) => SearchResult;
  /** For a property that says what must never be: is it so now? */
  readonly isBrokenAt: (snapshot: AnyMachineSnapshot) => boolean;
}

/** Hangs a defect up: two charts that differ in the defect, and the property that tells them apart. */
export const exhibit = <Machine extends AnyStateMachine>(
  label: Label & {
    readonly broken: Machine;
    readonly fixed: Machine;
    readonly property: Property<ContextFrom<Machine>>;
  },
): Exhibit => ({
  ...label,
  property: label.property.kind,
  search: (chart) => explore(chart, label.property),
  isBrokenAt: (snapshot) =>
    label.property.kind === 'never' && label.property.when(seenIn<ContextFrom<Machine>>(snapshot)),
});

/** The events of a chart whose world only says one of a few things. */
export type EventNamed<Name extends string> = Name extends string ? { readonly type: Name } : never;

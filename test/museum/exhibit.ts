import type { AnyMachineSnapshot, AnyStateMachine, ContextFrom } from 'xstate';

import type { Property, SearchResult } from './explore.js';
import { explore, seenIn } from './explore.js';

/** The text of an exhibit, and what the search has to find. */
interface Label {
  /** Short and stable: the name in tests, and the anchor on the page. */
  readonly id: string;
  readonly title: string;
  /** The origin of the defect: a seed and its number in the checklist, or a project and its issue. */
  readonly source: string;
  readonly story: string;
  /** The property that the broken chart violates and the fixed one keeps. */
  readonly promise: string;
  /** How our charts exclude it, with the name of the state or guard and of the test that fails without it. */
  readonly ruledOut: string;
  /** The length of a shortest path into the defect; a cycle is counted once. */
  readonly shortest: number;
}

/** One defect: its texts, its two charts and its property. */
export interface Exhibit extends Label {
  readonly broken: AnyStateMachine;
  readonly fixed: AnyStateMachine;
  readonly property: Property<unknown>['kind'];
  readonly search: (chart: AnyStateMachine) => SearchResult;
  /** For a safety property: whether the state violates it. */
  readonly isBrokenAt: (snapshot: AnyMachineSnapshot) => boolean;
}

/** Defines an exhibit: two charts that differ only in the defect, and the property that distinguishes them. */
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

/** The events of a chart whose environment has only a few possible answers. */
export type EventNamed<Name extends string> = Name extends string ? { readonly type: Name } : never;

import type { AnyStateMachine } from 'xstate';

/* Where a chart asks guards: found in its configuration, whatever its shape. */

/** The keys and indexes that lead from the configuration of a chart to one of its transitions. */
export type Place = readonly (string | number)[];

/** A transition with a guard. */
export interface GuardSite {
  readonly place: Place;
  readonly guard: GuardReference;
  /** `active.work.planning.replanDecision always.1 [canReplan]` */
  readonly label: string;
}

export interface GuardReference {
  readonly type: string;
  readonly params?: Readonly<Record<string, string>>;
}

type Json = Readonly<Record<string, unknown>>;

export const guardSitesOf = ({ config }: AnyStateMachine): GuardSite[] => sitesIn(config, []);

/** An object with a guard is a transition: nothing else in a chart has that key. */
const sitesIn = (value: unknown, place: Place): GuardSite[] => {
  if (typeof value !== 'object' || value === null) return [];
  if ('guard' in value) {
    const guard = referenceOf(value.guard);
    return [{ place, guard, label: labelOf(place, guard) }];
  }
  return Array.isArray(value)
    ? value.flatMap((item, index) => sitesIn(item, [...place, index]))
    : Object.entries(value).flatMap(([key, item]) => sitesIn(item, [...place, key]));
};

const referenceOf = (guard: unknown): GuardReference => {
  if (typeof guard === 'string') return { type: guard };
  if (typeof guard === 'object' && guard !== null && 'type' in guard)
    return guard as GuardReference;
  throw new Error('Our charts name their guards');
};

const labelOf = (place: Place, { type, params = {} }: GuardReference): string => {
  const isKeyword = place.map((key, index) => key === 'states' && index % 2 === 0);
  const path = place.filter((_, index) => isKeyword[index] !== true).join('.');
  return `${path} [${[type, ...Object.values(params)].join(' ')}]`;
};

/** A copy of a configuration in which one transition is another, or gone. */
export const withTransition = (
  config: unknown,
  place: Place,
  change: (transition: Json) => Json | undefined,
): unknown => {
  const [key, ...rest] = place;
  if (key === undefined) return change(config as Json);
  const next = withTransition((config as Record<string, unknown>)[key], rest, change);
  if (Array.isArray(config)) {
    return config.flatMap((item: unknown, index) => {
      if (index !== key) return [item];
      return next === undefined ? [] : [next];
    });
  }
  // Entry by entry, so that the order of transitions stays as it was written.
  return Object.fromEntries(
    Object.entries(config as Json).flatMap(([name, item]) => {
      if (name !== key) return [[name, item]];
      return next === undefined ? [] : [[name, next]];
    }),
  );
};

import type { Route } from '../model/commands.js';
import type { AnyActorRef } from 'xstate';

/**
 * The actor a chart reports to. `sendParent` throws when a chart is explored on its own; a chart without a parent
 * reports to itself, where the report has no handler and changes nothing.
 */
export const parentOf = ({ self }: { readonly self: AnyActorRef }): AnyActorRef =>
  self._parent ?? self;

export interface Routed {
  readonly route: Route;
}

/** A question on its way up, with the sender's address added. */
export const routedFrom = <Event extends Routed>(event: Event, self: AnyActorRef): Event => ({
  ...event,
  route: [...event.route, self.id],
});

/** The child that an answer goes to next, and the answer as that child gets it. */
export const nextHop = <Event extends Routed>(
  event: Event,
): { readonly to: string | undefined; readonly event: Event } => ({
  to: event.route.at(-1),
  event: { ...event, route: event.route.slice(0, -1) },
});

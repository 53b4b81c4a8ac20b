import { assign, createActor, enqueueActions, fromPromise, setup } from 'xstate';

/*
 * The baseline: a parent that spawns one promise child per step into 16 reused slots. No plan, no
 * dependencies, no timeouts, no journal: the cost of XState itself.
 */

interface BareContext {
  readonly next: number;
  readonly done: number;
  readonly free: readonly string[];
}

const createBareMachine = (stepCount: number, slots: number, work: () => Promise<string>) =>
  setup({
    types: {
      context: {} as BareContext,
      events: {} as { type: `xstate.done.actor.slot-${number}`; actorId: string },
    },
    actors: { work: fromPromise(work) },
    actions: {
      fillSlots: enqueueActions(({ context, enqueue }) => {
        const starting = context.free.slice(0, stepCount - context.next);
        for (const id of starting) enqueue.spawnChild('work', { id });
        enqueue.assign({
          next: context.next + starting.length,
          free: context.free.slice(starting.length),
        });
      }),
      settle: assign(({ context, event }) => ({
        done: context.done + 1,
        free: [...context.free, event.actorId],
      })),
    },
    guards: { isDone: ({ context }) => context.done >= stepCount },
  }).createMachine({
    id: 'bare',
    context: {
      next: 0,
      done: 0,
      free: Array.from({ length: slots }, (_, slot) => `slot-${slot}`),
    },
    initial: 'working',
    states: {
      working: {
        entry: 'fillSlots',
        on: { 'xstate.done.actor.*': { actions: ['settle', 'fillSlots'] } },
        always: { guard: 'isDone', target: 'done' },
      },
      done: { type: 'final' },
    },
  });

/** The machine is created once for each kind of work, as ours is. */
const machines = new Map<string, ReturnType<typeof createBareMachine>>();

const machineFor = (stepCount: number, slots: number, work: () => Promise<string>) => {
  const key = `${stepCount}/${slots}`;
  const machine = machines.get(key) ?? createBareMachine(stepCount, slots, work);
  machines.set(key, machine);
  return machine;
};

export const runBareXState = (
  stepCount: number,
  slots: number,
  work: () => Promise<string> = async () => 'done',
): Promise<void> =>
  new Promise((resolve, reject) => {
    const actor = createActor(machineFor(stepCount, slots, work));
    actor.subscribe({ complete: resolve, error: reject });
    actor.start();
  });

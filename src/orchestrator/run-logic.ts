import type { ActorLogic, AnyActorScope, EventObject, Snapshot } from 'xstate';

import type { RunRecord } from '../journal/record.js';
import { createRecordBuilder } from '../journal/record.js';
import type { RunReport } from '../journal/report.js';
import type { Command } from '../model/commands.js';
import type { Fact } from '../model/facts.js';
import type { RunHeader, StoredEntry } from '../model/run-store.js';
import { randomId } from '../services/random-id.js';
import type { StartInput } from './create-orchestrator.js';

/** The snapshot of an actor of `orchestrator.logic`: its `context` is the record of the run. */
export type RunSnapshot = Snapshot<RunReport> & { readonly context: RunRecord };

/** Actor logic for one run: the input of `start` begins it, commands are its events, and its output is the report. */
export type RunLogic = ActorLogic<RunSnapshot, Command, StartInput, AnyActorScope['system'], Fact>;

/** Where a run starts, or continues. JSON, and part of a persisted snapshot. */
export interface RunOrigin {
  readonly input: StartInput & { readonly runId: string };
  /** The last fact that the actor has emitted. Missing before the run was started. */
  readonly sequence?: number;
  /** Only without a store, which has it. */
  readonly journal?: { readonly header: RunHeader; readonly entries: readonly StoredEntry[] };
}

/** The run of a started actor. */
export interface RunSession {
  command(event: EventObject): void;
  origin(): RunOrigin;
  stop(): void;
}

/** What a session does to its actor. */
export interface SessionActor {
  /** Changes the snapshot. */
  change(to: Partial<RunSnapshot>): void;
  emit(fact: Fact): void;
}

/** The sessions of all actors of one orchestrator. */
export interface RunSessions {
  open(origin: RunOrigin, actor: SessionActor): RunSession;
  close(graceMs: number): Promise<unknown>;
}

/** Sent by an actor to itself when its snapshot changes. The change is not in the event, so others may send it. */
const CHANGED = 'planwright.changed';

/** The part of a snapshot that is not for its readers. JSON and `structuredClone` leave it out. */
const PRIVATE = Symbol('planwright.run');

interface Private {
  origin: RunOrigin;
  change: Partial<RunSnapshot>;
  session: RunSession | undefined;
  /** Resolves to undefined when the actor was stopped before. */
  opening: Promise<RunSession | undefined> | undefined;
  stop: () => void;
}

const activeSnapshot = (origin: RunOrigin, context: RunRecord): RunSnapshot => {
  const nothing = { change: {}, session: undefined, opening: undefined, stop: () => undefined };
  const hidden: { readonly [PRIVATE]: Private } = { [PRIVATE]: { origin, ...nothing } };
  return { status: 'active', output: undefined, error: undefined, context, ...hidden };
};

const privateOf = (snapshot: RunSnapshot): Private =>
  (snapshot as RunSnapshot & { readonly [PRIVATE]: Private })[PRIVATE];

const begin = (
  run: Private,
  load: () => Promise<RunSessions>,
  tellActor: () => void,
  emit: SessionActor['emit'],
): void => {
  let isStopped = false;
  const actor: SessionActor = {
    change: (to) => {
      if (isStopped) return;
      run.change = to;
      tellActor();
    },
    emit: (fact) => {
      if (!isStopped) emit(fact);
    },
  };
  run.stop = () => {
    isStopped = true;
    if (run.session === undefined) return;
    run.origin = run.session.origin();
    run.session.stop();
  };
  // A component that React mounts twice stops its actor at once: nothing was started by then.
  run.opening = load().then(
    (sessions) => (run.session = isStopped ? undefined : sessions.open(run.origin, actor)),
    (error: unknown) => {
      actor.change({ status: 'error', error });
      return undefined;
    },
  );
};

export const runLogic = (load: () => Promise<RunSessions>): RunLogic => ({
  getInitialSnapshot: (_scope, given) => {
    const input = { ...given, runId: given.runId ?? randomId('run') };
    return activeSnapshot({ input }, createRecordBuilder(input).record());
  },
  start: (snapshot, { self, emit }) => {
    if (snapshot.status !== 'active') return;
    begin(privateOf(snapshot), load, () => self.send({ type: CHANGED } as never), emit);
  },
  transition: (snapshot, event: EventObject) => {
    const run = privateOf(snapshot);
    if (event.type === CHANGED) return { ...snapshot, ...run.change } as RunSnapshot;
    if (event.type === 'xstate.stop') {
      run.stop();
      return { ...snapshot, status: 'stopped' } as RunSnapshot;
    }
    void run.opening?.then((session) => session?.command(event));
    return snapshot;
  },
  getPersistedSnapshot: (snapshot) => {
    const { status, output, error, context } = snapshot;
    const { origin, session } = privateOf(snapshot);
    const isOver = status === 'done' || status === 'error';
    const run = isOver ? { input: origin.input } : (session?.origin() ?? origin);
    return { status, output, error, context, run } as never;
  },
  restoreSnapshot: (persisted) => {
    const { run, context, ...rest } = persisted as RunSnapshot & { readonly run: RunOrigin };
    // The run of a stopped actor has not ended: it continues.
    const isActive = rest.status === 'active' || rest.status === 'stopped';
    return { ...activeSnapshot(run, context), ...(isActive ? {} : rest) };
  },
});

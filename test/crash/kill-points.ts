import { appendFileSync, readFileSync } from 'node:fs';

/*
 * When a process dies: as soon as each of its runs has reached a point at which it has not died before. With one run
 * that is immediate; with several the first to reach a point stays there until the others have reached one, too.
 */

/** A run of the process, and what happened to it in all of its lives. */
export interface KillableRun {
  /** The log of the previous lives. */
  readonly past: readonly string[];
  /** Logs an event, one per line. */
  note(what: string, about: string | number): void;
  /** Reaches a named point, and never returns from it if the run has not died there before. */
  reach(point: string): Promise<void>;
  /** The same for a point that no later life reaches: a durable write is not repeated. */
  reachOnce(point: string): Promise<void>;
  /** The same for a point inside the write that begins now, up to `reachOnce`: see `KillSchedule.commits`. */
  reachInWrite(point: string): Promise<void>;
  /** A run that has reached its point does nothing more: calls on its behalf never settle. */
  stay(): Promise<void>;
  /** Ends the run. No other run waits for it, unless it has reached a point: its writes are visible to all. */
  finish(): Promise<void>;
}

interface Waiting {
  readonly point: string;
  /** Lets the run into the write that contains its point; undefined when it is already at the point. */
  readonly enter?: () => void;
}

interface Body extends KillableRun {
  /** The first point it reached, where it waits. */
  readonly waiting: Waiting | undefined;
  /** Points that it reached as well, and that are not reached again. */
  readonly passing: Set<string>;
  /** A write is in progress, and may or may not be durable. */
  readonly isWriting: boolean;
}

export class KillSchedule {
  readonly #bodies = new Set<Body>();
  /** The run that has entered the write in which the process dies. */
  #inWrite: { readonly body: Body; readonly point: string } | undefined;

  readonly #isKillable: boolean;

  constructor(isKillable: boolean) {
    this.#isKillable = isKillable;
  }

  /** Adds a run with its log. All runs have to be added before the first begins. */
  add(logPath: string): KillableRun {
    const past = readFileSync(logPath, 'utf8').split('\n');
    const survived = new Set(past.filter((line) => line.startsWith('killed ')));
    const passing = new Set<string>();
    let waiting: Waiting | undefined;
    let isWriting = false;
    const wait = (next: Waiting): void => {
      waiting ??= next;
      this.#dieIfAllWait();
    };
    const isNew = (point: string): boolean => this.#isKillable && !survived.has(`killed ${point}`);
    const reach = async (point: string): Promise<void> => {
      if (waiting === undefined && !isNew(point)) return;
      wait({ point });
      await forEver();
    };
    const stay = async (): Promise<void> => {
      if (waiting !== undefined) await forEver();
    };
    const body: Body = {
      get waiting() {
        return waiting;
      },
      past,
      passing,
      get isWriting() {
        return isWriting;
      },
      note: (what, about) => {
        appendFileSync(logPath, `${what} ${about}\n`);
      },
      reach,
      reachOnce: (point) => {
        isWriting = false;
        if (isNew(point)) passing.add(point);
        return reach(point);
      },
      reachInWrite: async (point) => {
        if (waiting !== undefined || isNew(point)) {
          await new Promise<void>((resolve) => {
            const enter = (): void => {
              waiting = undefined;
              this.#inWrite = { body, point };
              resolve();
            };
            wait({ point, enter });
          });
        }
        isWriting = true;
      },
      stay,
      finish: async () => {
        await stay();
        this.#bodies.delete(body);
        this.#dieIfAllWait();
      },
    };
    this.#bodies.add(body);
    return body;
  }

  /** A transaction has written everything and is not durable yet: a run that is to die in a write dies here. */
  commits(): void {
    if (this.#inWrite === undefined) return;
    this.#inWrite.body.passing.add(this.#inWrite.point);
    this.#die();
  }

  #dieIfAllWait(): void {
    const bodies = [...this.#bodies];
    const isReady = ({ waiting, isWriting }: Body): boolean => waiting !== undefined && !isWriting;
    if (bodies.length === 0 || !bodies.every(isReady)) return;
    // One write at a time: the process dies in the middle of it.
    const next = bodies.find(({ waiting }) => waiting?.enter !== undefined);
    if (next === undefined) this.#die();
    else next.waiting?.enter?.();
  }

  #die(): never {
    for (const { waiting, passing, note } of this.#bodies) {
      if (waiting !== undefined && waiting.enter === undefined) passing.add(waiting.point);
      for (const point of passing) note('killed', point);
    }
    process.kill(process.pid, 'SIGKILL');
    // The signal may take a moment, in which nothing may happen.
    for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
  }
}

const forEver = (): Promise<never> => new Promise<never>(() => undefined);

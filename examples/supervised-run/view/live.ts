import type { WriteStream } from 'node:tty';

import type { Fact } from '../../../src/index.js';
import { ActivityLog } from './activity.js';
import type { FrameInput } from './frame.js';
import { frame, storyPieces, wrappedStory } from './frame.js';
import { rendered } from './layout.js';
import { Painter } from './terminal.js';

/** Shows a live run. */
export interface View {
  readonly activity: ActivityLog;
  add(fact: Fact): void;
  /** Changes the text at the bottom. */
  notify(notice: string): void;
  /** Restores the terminal. The log stays on it. */
  close(): void;
}

/** The parts that stay the same in every frame. */
export type ViewSettings = Pick<FrameInput, 'bounds' | 'model' | 'style'> & {
  /** Null: as wide as the terminal. */
  readonly columns: number | null;
  readonly record: () => FrameInput['record'];
};

const FRAME_MS = 100;

/** The whole terminal, redrawn in place. */
export class LiveView implements View {
  readonly activity = new ActivityLog();
  readonly #stream: WriteStream;
  readonly #settings: ViewSettings;
  readonly #painter: Painter;
  readonly #timer: NodeJS.Timeout;
  #notice = 'Ctrl-C ends the run';
  #tick = 0;
  #isClosed = false;

  constructor(stream: WriteStream, settings: ViewSettings) {
    this.#stream = stream;
    this.#settings = settings;
    this.#painter = new Painter((text) => stream.write(text));
    this.#painter.open();
    stream.on('resize', this.#resize);
    this.#timer = setInterval(() => {
      this.#tick += 1;
      this.#draw();
    }, FRAME_MS);
  }

  /** Several facts may come at once; the next frame shows them all. */
  add(fact: Fact): void {
    this.activity.add(fact);
  }

  notify(notice: string): void {
    this.#notice = notice;
    this.#draw();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#stream.off('resize', this.#resize);
    this.#painter.close();
    this.#stream.write(this.#storyLines().join(''));
  }

  /** The log, for the main screen. */
  #storyLines(): string[] {
    const { style } = this.#settings;
    const columns = this.#settings.columns ?? this.#stream.columns;
    const { startedAt, story } = this.activity;
    return story
      .flatMap((line) => wrappedStory(line, { startedAt, columns, style }))
      .map((pieces) => `${rendered(pieces, columns, style)}\n`);
  }

  readonly #resize = (): void => {
    this.#painter.forget();
    this.#draw();
  };

  #draw(): void {
    const { bounds, model, style, columns, record } = this.#settings;
    const lines = frame({
      record: record(),
      activity: this.activity,
      bounds,
      model,
      style,
      notice: this.#notice,
      now: Date.now(),
      tick: this.#tick,
      // The last column stays free: terminals differ in what happens there.
      columns: (columns ?? this.#stream.columns) - 1,
      rows: this.#stream.rows,
    });
    this.#painter.paint(lines);
  }
}

/** One line for each event, for files, pipes and logs. */
export class PlainView implements View {
  readonly activity = new ActivityLog();
  readonly #write: (line: string) => void;
  readonly #settings: ViewSettings;

  constructor(write: (line: string) => void, settings: ViewSettings) {
    this.#write = write;
    this.#settings = settings;
  }

  add(fact: Fact): void {
    const { style } = this.#settings;
    const columns = this.#settings.columns ?? Number.POSITIVE_INFINITY;
    for (const line of this.activity.add(fact)) {
      const { startedAt } = this.activity;
      this.#write(rendered(storyPieces(line, { startedAt, columns, style }), columns, style));
    }
  }

  notify(notice: string): void {
    this.#write(` ${notice}`);
  }

  close(): void {
    // Nothing to restore: every line was written at once.
  }
}

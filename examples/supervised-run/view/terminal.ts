// Paints frames on a terminal, in place. Only changed lines are written, in one write, on the alternate screen, so
// the former content is back at the end.

const SYNC_ON = '\u001B[?2026h';
const SYNC_OFF = '\u001B[?2026l';
const CURSOR_OFF = '\u001B[?25l';
const CURSOR_ON = '\u001B[?25h';
const ALTERNATE_ON = '\u001B[?1049h';
const ALTERNATE_OFF = '\u001B[?1049l';
// A line that was measured wrong is cut, not wrapped: a wrapped line would move the lines below.
const WRAP_OFF = '\u001B[?7l';
const WRAP_ON = '\u001B[?7h';
const CLEAR = '\u001B[H\u001B[2J';
const CLEAR_TO_END_OF_LINE = '\u001B[0m\u001B[K';
const CLEAR_BELOW = '\u001B[J';

export class Painter {
  readonly #write: (text: string) => void;
  #shown: readonly string[] = [];
  #isOpen = false;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  open(): void {
    this.#isOpen = true;
    this.#write(ALTERNATE_ON + CURSOR_OFF + WRAP_OFF + CLEAR);
  }

  paint(lines: readonly string[]): void {
    if (!this.#isOpen) return;
    const changed = lines.flatMap((line, index) =>
      line === this.#shown[index] ? [] : [`${position(index)}${line}${CLEAR_TO_END_OF_LINE}`],
    );
    const rest = lines.length < this.#shown.length ? position(lines.length) + CLEAR_BELOW : '';
    this.#shown = lines;
    if (changed.length > 0 || rest !== '') {
      this.#write(SYNC_ON + changed.join('') + rest + SYNC_OFF);
    }
  }

  /** After a resize the whole screen is drawn again. */
  forget(): void {
    this.#shown = [];
    if (this.#isOpen) this.#write(CLEAR);
  }

  /** May be called repeatedly; the first call restores the terminal. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#write(WRAP_ON + CURSOR_ON + ALTERNATE_OFF);
  }
}

const position = (index: number): string => `\u001B[${index + 1};1H`;

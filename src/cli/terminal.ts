/** Where the command writes to. */
export interface Terminal {
  print(text: string): void;
  warn(text: string): void;
  /** On a terminal: a line that the next one replaces. An empty line ends it. */
  readonly progress?: ((text: string) => void) | undefined;
}

/** What of a stream of a process is needed here. */
export interface OutputStream {
  write(text: string): unknown;
  /** Undefined for a file or a pipe. */
  readonly isTTY?: boolean;
  /** 0 where the terminal does not say how wide it is. */
  readonly columns?: number;
}

/** What moves is for people: in a file or a pipe it would only be in the way. */
export const terminalOf = (stdout: OutputStream, stderr: OutputStream): Terminal => ({
  print: (text) => {
    stdout.write(`${text}\n`);
  },
  warn: (text) => {
    stderr.write(`${text}\n`);
  },
  progress:
    stderr.isTTY === true
      ? (text) => {
          stderr.write(`\r\u001B[2K${text.slice(0, widthOf(stderr) - 1)}`);
        }
      : undefined,
});

const DEFAULT_COLUMNS = 80;

/** A line that is wider than the terminal could not be taken back. */
const widthOf = ({ columns = 0 }: OutputStream): number =>
  columns > 0 ? columns : DEFAULT_COLUMNS;

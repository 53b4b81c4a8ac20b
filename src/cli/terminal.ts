/** Where the command writes to. */
export interface Terminal {
  print(text: string): void;
  warn(text: string): void;
  /** On a terminal: a line that the next one replaces. An empty line ends it. */
  readonly progress?: ((text: string) => void) | undefined;
}

/** The part of a process stream that is used here. */
export interface OutputStream {
  write(text: string): unknown;
  /** Undefined for a file or a pipe. */
  readonly isTTY?: boolean;
  /** 0 where the terminal does not say how wide it is. */
  readonly columns?: number;
}

/** Progress is shown on a terminal only; in a file or a pipe it would be noise. */
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

/** A line wider than the terminal could not be erased. */
const widthOf = ({ columns = 0 }: OutputStream): number =>
  columns > 0 ? columns : DEFAULT_COLUMNS;

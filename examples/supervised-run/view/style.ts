// Colours and symbols, as far as the terminal supports them; the words stay the same.

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export type Tone = keyof typeof CODES;

/** The symbols of a view; each is one column wide. */
export interface Signs {
  readonly pending: string;
  readonly running: string;
  readonly completed: string;
  readonly failed: string;
  readonly skipped: string;
  readonly replanned: string;
  readonly waiting: string;
  readonly full: string;
  readonly empty: string;
  readonly rule: string;
  readonly ellipsis: string;
  readonly dot: string;
  readonly to: string;
  readonly spinner: readonly string[];
}

export interface Style {
  readonly signs: Signs;
  /** The text in a tone, where there is colour. */
  paint(tone: Tone, text: string): string;
}

const UNICODE: Signs = {
  pending: '○',
  running: '▶',
  completed: '✔',
  failed: '✘',
  skipped: '–',
  replanned: '↻',
  waiting: '?',
  full: '█',
  empty: '░',
  rule: '─',
  ellipsis: '…',
  dot: '·',
  to: '→',
  spinner: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
};

const ASCII: Signs = {
  pending: 'o',
  running: '>',
  completed: '+',
  failed: 'x',
  skipped: '-',
  replanned: '@',
  waiting: '?',
  full: '#',
  empty: '.',
  rule: '-',
  ellipsis: '~',
  dot: '|',
  to: '>',
  spinner: ['-', '\\', '|', '/'],
};

export const createStyle = ({
  hasColor,
  hasUnicode,
}: {
  readonly hasColor: boolean;
  readonly hasUnicode: boolean;
}): Style => ({
  signs: hasUnicode ? UNICODE : ASCII,
  paint: (tone, text) => {
    const [on, off] = CODES[tone];
    return hasColor && text !== '' ? `\u001B[${on}m${text}\u001B[${off}m` : text;
  },
});

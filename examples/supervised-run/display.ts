import type { Style } from './view/style.js';
import { createStyle } from './view/style.js';

/** The capabilities of the output. */
export interface Display {
  /** Whether frames can be painted in place. */
  readonly isLive: boolean;
  readonly style: Style;
  /** How wide it is now. */
  readonly columns: () => number;
}

export interface DisplayWishes {
  readonly isPlain: boolean;
  readonly hasColor: boolean;
  readonly columns: number | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Files and pipes have no width; this is the usual width of a terminal. */
const COLUMNS_ELSEWHERE = 100;

export const displayOf = (
  stream: { readonly isTTY?: boolean; readonly columns?: number },
  environment: Environment,
  wishes: DisplayWishes,
): Display => {
  const isTerminal = stream.isTTY === true && environment['TERM'] !== 'dumb';
  const { NO_COLOR: noColor = '', FORCE_COLOR: forceColor = '' } = environment;
  const isColorForced = forceColor !== '' && forceColor !== '0';
  const hasColor = wishes.hasColor && noColor === '' && (isTerminal || isColorForced);
  return {
    isLive: isTerminal && !wishes.isPlain,
    style: createStyle({ hasColor, hasUnicode: supportsUnicode(environment) }),
    columns: () =>
      wishes.columns ?? (isTerminal ? (stream.columns ?? COLUMNS_ELSEWHERE) : COLUMNS_ELSEWHERE),
  };
};

/** False only for a locale without Unicode or the console of Linux: most terminals set nothing and support it. */
const supportsUnicode = ({ LC_ALL, LC_CTYPE, LANG, TERM }: Environment): boolean => {
  const locale = [LC_ALL, LC_CTYPE, LANG].find((value) => value !== undefined && value !== '');
  return TERM !== 'linux' && (locale === undefined || /utf-?8/i.test(locale));
};

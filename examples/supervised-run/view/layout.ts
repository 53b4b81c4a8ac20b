import type { Style, Tone } from './style.js';
import { clipped, fitted, widthOf } from './text.js';

/** A part of a line with one tone. Only safe text goes in here. */
export interface Piece {
  readonly text: string;
  readonly tone?: Tone | null;
}

/** The pieces as one line of at most this many columns. Colours have no width. */
export const rendered = (pieces: readonly Piece[], columns: number, style: Style): string => {
  let left = columns;
  let line = '';
  for (const { text, tone } of pieces) {
    const shown = clipped(text, left, style.signs.ellipsis);
    left -= widthOf(shown);
    line += tone == null ? shown : style.paint(tone, shown);
    if (shown !== text) break;
  }
  return line.replace(SPACES_AT_END, '$<codes>');
};

/** Spaces at the end of a line, with the codes that end a colour. */
const SPACES_AT_END = / +(?<codes>(?:\u001B\[\d+m)*)$/;

/** Text of exactly this many columns. */
export const cell = (text: string, columns: number, style: Style, tone?: Tone | null): Piece => ({
  text: fitted(text, columns, style.signs.ellipsis),
  ...(tone == null ? {} : { tone }),
});

/** A bar for a share from 0 to 1. */
export const bar = (share: number, columns: number, { signs }: Style): string => {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * columns);
  return signs.full.repeat(filled) + signs.empty.repeat(columns - filled);
};

/** '0:07', '12:34' */
export const clockTime = (durationMs: number): string => {
  const seconds = Math.max(0, Math.floor(durationMs / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};

/** '0.4 s', '12.3 s', '2:05 min' */
export const duration = (durationMs: number): string =>
  durationMs < 60_000
    ? `${(Math.max(0, durationMs) / 1_000).toFixed(1)} s`
    : `${clockTime(durationMs)} min`;

/** '950', '31k', '1.2M' */
export const amount = (count: number): string => {
  if (count < 1_000) return String(count);
  if (count < 999_500) return `${Math.round(count / 1_000)}k`;
  return `${Number((count / 1_000_000).toFixed(1))}M`;
};

import type { RunHeader } from '../model/run-store.js';
import { headerChecksum } from './format/checksum.js';

/** The format that new journals are written in. Every one before it stays readable. */
export const JOURNAL_FORMAT = 2;

/** A header as it is stored: it says what format the journal is in, and that it is whole. */
export const sealedHeader = (header: Omit<RunHeader, 'format' | 'checksum'>): RunHeader => {
  const open: RunHeader = { ...header, format: JOURNAL_FORMAT };
  return { ...open, checksum: headerChecksum(open) };
};

import type { RunHeader } from '../model/run-store.js';
import { headerChecksum } from './format/checksum.js';

/** The format that new journals are written in. From format 3 on, every format stays readable; 1 and 2 were never released. */
export const JOURNAL_FORMAT = 3;

/** A header as it is stored, with the journal's format and a checksum. */
export const sealedHeader = (header: Omit<RunHeader, 'format' | 'checksum'>): RunHeader => {
  const open: RunHeader = { ...header, format: JOURNAL_FORMAT };
  return { ...open, checksum: headerChecksum(open) };
};

import type { ScriptedAnswer } from '../scripted-server.js';

/** Reads these files, all in one round. */
export const reading = (...paths: readonly string[]): ScriptedAnswer => ({
  toolCalls: paths.map((path) => ({ name: 'read_file', arguments: { path } })),
});

export const writing = (path: string, text: string): ScriptedAnswer => ({
  toolCalls: [{ name: 'write_file', arguments: { path, text } }],
});

export const testing = (): ScriptedAnswer => ({
  toolCalls: [{ name: 'run_tests', arguments: {} }],
});

/** A file with one piece of it replaced. Throws when the piece is missing. */
export const edited = (text: string, piece: string, replacement: string): string => {
  if (!text.includes(piece)) throw new Error(`There is no ${JSON.stringify(piece)} in the file`);
  return text.replace(piece, replacement);
};

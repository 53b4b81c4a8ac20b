#!/usr/bin/env node
import { run } from './run.js';

const { stdout, stderr } = process;

// Whoever reads has seen enough: `planwright prove fixed | head`.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

/** What moves is for people: in a file or a pipe it would only be in the way. */
const progress = (text: string): void => {
  stderr.write(`\r\u001B[2K${text.slice(0, stderr.columns - 1)}`);
};

process.exitCode = await run(process.argv.slice(2), {
  print: (text) => stdout.write(`${text}\n`),
  warn: (text) => stderr.write(`${text}\n`),
  progress: stderr.isTTY ? progress : undefined,
});

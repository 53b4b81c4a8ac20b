#!/usr/bin/env node
import { run } from './run.js';
import { terminalOf } from './terminal.js';

const { stdout, stderr } = process;

// The reader closed the pipe: `planwright prove fixed | head`.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

process.exitCode = await run(process.argv.slice(2), terminalOf(stdout, stderr));

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';

/*
 * Starts the program beside it. What V8 made of its text is kept by the first process that comes to its end, and saves
 * each of the hundreds after it a quarter of what it costs to live and be killed.
 */

const program = join(__dirname, 'program.cjs');
const cache = join(__dirname, 'program.cache');
const isKnown = existsSync(cache);

const script = new Script(
  `(function (exports, require, module) {${readFileSync(program, 'utf8')}\n})`,
  { filename: program, ...(isKnown ? { cachedData: readFileSync(cache) } : {}) },
);
if (!isKnown) {
  process.once('exit', () => {
    // Others may be about to read it.
    const unfinished = `${cache}.${process.pid}`;
    writeFileSync(unfinished, script.createCachedData());
    renameSync(unfinished, cache);
  });
}
const run = script.runInThisContext() as (...given: unknown[]) => void;
run({}, createRequire(program), {});

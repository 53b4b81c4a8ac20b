import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';

/*
 * Starts the program in this folder. The first process that ends keeps V8's compiled code, which saves each of the
 * hundreds after it a quarter of their time.
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
    // Other processes may be about to read it.
    const unfinished = `${cache}.${process.pid}`;
    writeFileSync(unfinished, script.createCachedData());
    renameSync(unfinished, cache);
  });
}
const run = script.runInThisContext() as (...given: unknown[]) => void;
run({}, createRequire(program), {});

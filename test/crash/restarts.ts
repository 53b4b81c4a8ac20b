import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { build } from 'esbuild';

import type { RunReport } from '../../src/journal/report.js';
import type { LastWords, Life, LivingRun } from './child.js';

const root = join(import.meta.dirname, '../..');

export interface Program {
  /** The arguments of Node. */
  readonly path: string;
  readonly dispose: () => void;
}

/**
 * A program of this folder in one file: it is bundled once and started hundreds of times. Native packages stay
 * outside.
 */
export const bundled = async (name: string): Promise<Program> => {
  // Inside node_modules, so that external packages are found.
  const folder = join(root, 'node_modules/.cache/planwright', `crash-${name}-${process.pid}`);
  await build({
    entryPoints: {
      program: join(import.meta.dirname, `${name}.ts`),
      start: join(import.meta.dirname, 'start.ts'),
    },
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    external: ['libsql', 'pg'],
    logLevel: 'silent',
  });
  return {
    path: join(folder, 'start.cjs'),
    dispose: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

interface Death {
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

const live = (program: string, life: Life): Promise<Death> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, JSON.stringify(life)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      resolve({ code, signal, output, errors });
    });
  });

export interface LivedRun {
  readonly report: RunReport;
  readonly log: readonly string[];
  /** The points at which it was killed, each of them once. */
  readonly deaths: readonly string[];
  readonly repeats: Repeats;
}

/** The results of the runs of a process, by the names of their references. */
export interface Lived {
  readonly runs: ReadonlyMap<string, LivedRun>;
  /** How often the process was killed. */
  readonly kills: number;
}

/** More lives than any run has points: a process that dies more often makes no progress. */
const LIVES_MAX = 2_000;

/** Restarts a process until its runs are finished. */
export const lived = async (program: string, life: Life): Promise<Lived> => {
  for (const { logPath } of life.runs) writeFileSync(logPath, '');
  const names = life.runs.map(({ reference }) => reference).join();
  for (let kills = 0; kills < LIVES_MAX; kills += 1) {
    const death = await live(program, life);
    if (death.signal === 'SIGKILL') continue;
    if (death.code !== 0 || death.signal !== null) {
      throw new Error(`${names} ended with ${death.code ?? death.signal}: ${death.errors}`);
    }
    const words = JSON.parse(death.output) as readonly LastWords[];
    return { kills, runs: new Map(life.runs.map((run) => [run.reference, livedRun(run, words)])) };
  }
  throw new Error(`${names} was not finished after ${LIVES_MAX} lives`);
};

const livedRun = ({ reference, logPath }: LivingRun, all: readonly LastWords[]): LivedRun => {
  const words = all.find((each) => each.reference === reference);
  if (words === undefined) throw new Error(`Nothing was said of ${reference}`);
  const log = readFileSync(logPath, 'utf8').trim().split('\n');
  const deaths = log.flatMap((line) =>
    line.startsWith('killed ') ? [line.slice('killed '.length)] : [],
  );
  return { report: words.report, log, deaths, repeats: repeatsIn(log, words.settled) };
};

/** A report without its times. */
export const timeless = (report: RunReport): unknown =>
  JSON.parse(
    JSON.stringify(report, (name, value: unknown) =>
      /(?:At|Ms)$/.test(name) || name === 'at' ? undefined : value,
    ),
  );

interface Repeats {
  /** Calls that were repeated although their answer was durable. */
  readonly settled: readonly string[];
  /** Calls that were made more than once in one life. */
  readonly withinLife: readonly string[];
  /** How often calls were repeated that were in flight when a life ended. */
  readonly inFlight: number;
}

/** The calls in the log that were made more than once. */
const repeatsIn = (log: readonly string[], settledBy: readonly (readonly string[])[]): Repeats => {
  const settled = new Set<string>();
  const everCalled = new Set<string>();
  let calledNow = new Set<string>();
  const wrong: string[] = [];
  const twice: string[] = [];
  let inFlight = 0;
  for (const line of log) {
    const [what = '', about = ''] = line.split(' ');
    if (what === 'born') calledNow = new Set();
    if (what === 'written') for (const key of settledBy[Number(about)] ?? []) settled.add(key);
    if (what !== 'called') continue;
    if (settled.has(about)) wrong.push(about);
    if (calledNow.has(about)) twice.push(about);
    if (everCalled.has(about)) inFlight += 1;
    calledNow.add(about);
    everCalled.add(about);
  }
  return { settled: wrong, withinLife: twice, inFlight };
};

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface Stage {
  /** The name of an npm script. */
  readonly script: string;
  readonly args: readonly string[];
}

export interface StageResult {
  readonly script: string;
  /** Stopped: another stage failed, or a signal came. */
  readonly outcome: 'passed' | 'failed' | 'ended';
  /** Output that is not printed yet. */
  readonly output: string;
  readonly wallMs: number;
  /** Processor time of the stage and its children, where the platform has it. */
  readonly cpuMs: number | undefined;
}

interface LaneOptions {
  /** Aborted by the first stage that fails, which ends all lanes. */
  readonly end: AbortController;
  /** Whether output is printed at once, or when a stage is over. */
  readonly isLive: boolean;
}

const isWindows = process.platform === 'win32';

/** Runs stages one after the other until one fails. */
export const runLane = async (
  stages: readonly Stage[],
  { end, isLive }: LaneOptions,
): Promise<StageResult[]> => {
  const results: StageResult[] = [];
  for (const stage of stages) {
    if (end.signal.aborted) break;
    const result = await runStage(stage, end.signal, isLive);
    results.push(result);
    if (result.outcome === 'passed') continue;
    end.abort();
    break;
  }
  return results;
};

const runStage = async (
  { script, args }: Stage,
  signal: AbortSignal,
  isLive: boolean,
): Promise<StageResult> => {
  if (isLive) console.log(`\n=== ${script}`);
  const startedAt = performance.now();
  const { exitCode, output, cpuMs } = await runScript(script, args, signal, isLive);
  const wallMs = performance.now() - startedAt;
  const outcome = exitCode === 0 ? 'passed' : signal.aborted ? 'ended' : 'failed';
  const heading = isLive ? '' : `\n=== ${script}\n${outcome === 'failed' ? '' : output}`;
  const word = outcome === 'failed' ? 'FAILED' : outcome;
  console.log(`${heading}=== ${script} ${word} in ${(wallMs / 1_000).toFixed(1)} s`);
  // Children of a stopped stage are not waited for, so their time is unknown.
  const knownCpuMs = outcome === 'ended' ? undefined : cpuMs;
  return { script, outcome, output: isLive ? '' : output, wallMs, cpuMs: knownCpuMs };
};

interface Ended {
  readonly exitCode: number | null;
  readonly output: string;
  readonly cpuMs: number | undefined;
}

const runScript = (
  script: string,
  args: readonly string[],
  signal: AbortSignal,
  isLive: boolean,
): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn('npm', ['run', '--silent', script, '--', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Its own process group, so that its children end with it.
      detached: !isWindows,
      shell: isWindows, // npm is a .cmd file there
      env: process.stdout.isTTY ? { FORCE_COLOR: '1', ...process.env } : process.env,
    });
    let output = '';
    let cpuMs: number | undefined;
    const take = (chunk: Buffer): void => {
      if (isLive) process.stdout.write(chunk);
      else output += chunk.toString();
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    const stop = (): void => {
      if (child.pid === undefined) return;
      if (isWindows) child.kill();
      else process.kill(-child.pid, 'SIGTERM');
    };
    signal.addEventListener('abort', stop);
    child.once('error', reject);
    child.once('exit', () => {
      signal.removeEventListener('abort', stop);
      cpuMs = takeCpuMs();
    });
    child.once('close', (exitCode) => {
      resolve({ exitCode, output, cpuMs });
    });
  });

let countedCpuMs = 0;

/** Processor time of the processes that have ended since the last call; undefined where the platform does not have it. */
const takeCpuMs = (): number | undefined => {
  try {
    // The name of the process comes first, in brackets, and may have blanks; times are in hundredths of a second.
    const [, fields = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ');
    const [userTicks, systemTicks] = fields.split(' ').slice(13, 15).map(Number);
    if (userTicks === undefined || systemTicks === undefined) return undefined;
    const allMs = (userTicks + systemTicks) * 10;
    const newMs = allMs - countedCpuMs;
    countedCpuMs = allMs;
    return newMs;
  } catch {
    return undefined;
  }
};

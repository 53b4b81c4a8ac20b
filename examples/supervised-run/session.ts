// One run from the first line on the screen to the exit code.
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { WriteStream } from 'node:tty';

import type { Orchestrator, Run } from '../../src/index.js';
import { sqliteStore } from '../../src/services/stores/sqlite/index.js';
import type { Options } from './arguments.js';
import { UsageError } from './arguments.js';
import type { Display } from './display.js';
import { displayOf } from './display.js';
import type { Interruption } from './interrupt.js';
import type { Model } from './model.js';
import { hasModel, openModel } from './model.js';
import type { Snapshot } from './project/changes.js';
import { changesBetween, snapshotOf } from './project/changes.js';
import type { ProjectCopy } from './project/copy.js';
import { copyProject } from './project/copy.js';
import { reportLines } from './report.js';
import { createTeam } from './team.js';
import type { TestRun } from './test-run/run-tests.js';
import { countsOf, runTests } from './test-run/run-tests.js';
import type { FrameBounds } from './view/frame.js';
import type { View } from './view/live.js';
import { LiveView, PlainView } from './view/live.js';
import type { Tone } from './view/style.js';
import { oneLine, wrapped } from './view/text.js';

const SAMPLE = join(import.meta.dirname, 'sample-project');
const SAMPLE_GOAL = 'Make the failing tests pass without changing the tests';
const PACE_ON_TERMINAL_MS = 350;

export interface Surroundings {
  readonly output: WriteStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly interruption: Interruption;
  /** Called at the end of every session, the last one first. */
  readonly atExit: (action: () => void) => void;
}

/** Runs, shows and reports. Returns the exit code. */
export const runSession = async (options: Options, around: Surroundings): Promise<number> => {
  const { environment, interruption, output } = around;
  await checkWishes(options, environment);
  const display = displayOf(output, environment, options);
  const paceMs = options.paceMs ?? (display.isLive ? PACE_ON_TERMINAL_MS : 0);
  const model = await openModel(environment, { isScripted: options.isScripted, paceMs });
  try {
    introduce(model, options, display, output);
    const workshop = await openWorkshop(options, around);
    const status = await workOn(workshop, { model, display, options, around });
    return interruption.exitCode() ?? (status === 'completed' ? 0 : 1);
  } finally {
    await model.close();
  }
};

const checkWishes = async (
  { goal, project, isScripted }: Options,
  environment: Surroundings['environment'],
): Promise<void> => {
  const isOwn = goal !== null || project !== null;
  if (isOwn && (isScripted || !hasModel(environment))) {
    const option = goal === null ? '--project' : '--goal';
    throw new UsageError(
      `${option} needs a model: the script knows only the sample project. Set OPENAI_API_KEY, or OPENAI_BASE_URL and OPENAI_MODEL`,
    );
  }
  if (project === null) return;
  const isFolder = await stat(project).then(
    (status) => status.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new UsageError(`Expected a folder for --project, got '${project}'`);
};

/** The copy of the project, and its files at the start. */
interface Workshop {
  readonly copy: ProjectCopy;
  readonly isKept: boolean;
  readonly goal: string;
  readonly files: Snapshot;
  readonly before: TestRun;
  readonly isProtected: (path: string) => boolean;
}

const openWorkshop = async (options: Options, around: Surroundings): Promise<Workshop> => {
  const { goal, project } = options;
  const copy = await copyProject(project === null ? SAMPLE : resolve(project));
  // The result for a user's own project is kept.
  const isKept = options.isKept || project !== null;
  if (!isKept) {
    around.atExit(() => {
      copy.remove();
    });
  }
  around.output.write(` Project: a copy in ${copy.folder}\n`);
  const before = await runTests(copy.folder, { signal: around.interruption.signal });
  around.output.write(` Tests: ${countsOf(before)}\n`);
  return {
    copy,
    isKept,
    goal: goal ?? SAMPLE_GOAL,
    files: await snapshotOf(copy.folder),
    before,
    isProtected: (path) => goal === null && isTestFile(path),
  };
};

const isTestFile = (path: string): boolean =>
  // Ignoring case: some file systems do.
  /(?:^|\/)(?:tests?|__tests__)\/|[.-]test\.[cm]?js$|^package\.json$/i.test(path);

const introduce = (
  model: Model,
  { goal }: Options,
  { style, columns }: Display,
  output: WriteStream,
): void => {
  const say = (text: string, tone?: Tone): void => {
    for (const line of wrapped(text, columns() - 2)) {
      output.write(` ${tone === undefined ? line : style.paint(tone, line)}\n`);
    }
  };
  say('Planwright: a supervised run', 'bold');
  say(`Goal: ${oneLine(goal ?? SAMPLE_GOAL)}`);
  if (model.isScripted) {
    say(
      'Model: scripted. Only its answers are: the plan, the edits, the tests and the HTTP client are real.',
      'yellow',
    );
  } else say(`Model: ${oneLine(model.title)}`, 'yellow');
};

interface Work {
  readonly model: Model;
  readonly display: Display;
  readonly options: Options;
  readonly around: Surroundings;
}

const workOn = async (workshop: Workshop, work: Work): Promise<string> => {
  const { model, display, options, around } = work;
  const { copy, before, goal, isProtected } = workshop;
  const { folder } = copy;
  const store = sqliteStore({ path: copy.journalPath });
  around.atExit(() => {
    void store.close?.();
  });
  const orchestrator = createTeam({
    connection: model.connection,
    // The script distinguishes requests by their schemas.
    structuredOutputs: model.isScripted ? 'schema' : options.structuredOutputs,
    folder,
    before,
    isProtected,
    limitMs: options.limitMs,
    store,
  });
  const bounds = boundsOf(orchestrator);
  const { signal } = around.interruption;
  signal.throwIfAborted();
  const run = orchestrator.start({ goal });
  const view = openView(run, bounds, work);
  const abort = (): void => {
    view.notify('Stopping: a report follows. Ctrl-C again ends at once');
    void run.abort('Stopped with Ctrl-C');
  };
  signal.addEventListener('abort', abort, { once: true });
  run.subscribe((fact) => {
    view.add(fact);
  });
  const report = await run.done;
  signal.removeEventListener('abort', abort);
  view.close();
  const after = signal.aborted ? null : await runTests(folder, { signal }).catch(() => null);
  const lines = reportLines({
    report,
    summary: run.record().summary,
    activity: view.activity,
    bounds,
    changes: changesBetween(workshop.files, await snapshotOf(folder)),
    before,
    after,
    folder: workshop.isKept ? folder : null,
    isScripted: model.isScripted,
    columns: display.columns(),
    style: display.style,
  });
  around.output.write(`${lines.join('\n')}\n`);
  if (workshop.isKept) around.output.write(` The journal is in ${oneLine(copy.journalPath)}\n`);
  return report.status;
};

const openView = (run: Run, bounds: FrameBounds, work: Work): View => {
  const { display, model, options, around } = work;
  const { output } = around;
  const { style } = display;
  const { columns } = options;
  const settings = { bounds, model: model.title, style, columns, record: () => run.record() };
  const write = (line: string): void => {
    output.write(`${line}\n`);
  };
  if (!display.isLive) return new PlainView(write, settings);
  const view = new LiveView(output, settings);
  around.atExit(() => {
    view.close();
  });
  return view;
};

const boundsOf = (orchestrator: Orchestrator): FrameBounds => {
  const { replans, agentCalls } = orchestrator.bounds();
  const { limits, time } = orchestrator.policy;
  return { replans, agentCalls, tokens: limits.maxTokens, limitMs: time.limitMs };
};

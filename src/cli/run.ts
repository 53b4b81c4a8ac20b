import { stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

import { PlanwrightError } from '../errors.js';
import type { Noun } from '../proof/prove/counted.js';
import { counted } from '../proof/prove/counted.js';
import type { ExplorationProgress } from '../proof/prove/explore.js';
import { prove } from '../proof/prove/prove.js';
import type { Proof } from '../proof/prove/prove.types.js';
import { settingsOf } from '../proof/prove/settings.js';
import type { ProveArguments } from './arguments.js';
import { readArguments, USAGE } from './arguments.js';
import { chartPictures } from './charts.js';
import { check } from './check.js';
import { UsageError } from './parsed-options.js';
import type { ProvedSubject } from './page/proof-page.js';
import { proofPage } from './page/proof-page.js';
import { priceTag } from './price-tag.js';
import { subjectOf } from './subject.js';
import type { Terminal } from './terminal.js';

const HINT = 'Run `planwright --help` for everything it can do.';

/**
 * Runs one command. Returns the exit code: 0 proved or all runs can be resumed, 1 refuted or some cannot, 2 not tried.
 */
export const run = async (args: readonly string[], terminal: Terminal): Promise<number> => {
  try {
    const [command, ...rest] = args;
    if (command === 'check') return await check(rest, terminal);
    const given = readArguments(args);
    if (given === undefined) {
      terminal.print(USAGE);
      return 0;
    }
    return await proveGiven(given, terminal);
  } catch (error) {
    terminal.warn(messageOf(error));
    // A proof that crashed is not a refutation.
    return 2;
  }
};

/** A usage error as a sentence; an internal error with its stack. */
const messageOf = (error: unknown): string => {
  if (error instanceof UsageError || PlanwrightError.isInstance(error)) {
    return `${error.message}\n${HINT}`;
  }
  return `The proof crashed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
};

const proveGiven = async (given: ProveArguments, terminal: Terminal): Promise<number> => {
  const { policy, team: found } = await subjectOf(given.subject);
  if (given.html !== undefined) await checkPlace(given.html);
  // Options on the command line override the team of the module.
  const team = { agents: ['worker'], ...found, ...given.team };
  const proof = prove(policy, {
    ...team,
    planSteps: given.steps,
    method: given.wholeRun ? 'wholeRun' : 'compositional',
    onProgress: (progress) => terminal.progress?.(progressText(progress)),
  });
  terminal.progress?.('');
  terminal.print(given.json ? JSON.stringify(proof, null, 2) : priceTag(proof));
  if (given.html !== undefined) {
    const subject = { name: given.subject, policy, team: teamText(settingsOf(policy, team).team) };
    await writePage(given.html, subject, proof);
  }
  return proof.isProved ? 0 : 1;
};

const STATES: Noun = ['state', 'states'];
const MOVES: Noun = ['move', 'moves'];

const progressText = ({ system, nodes, edges, waiting }: ExplorationProgress): string =>
  `${system}: ${counted(nodes, STATES)}, ${counted(edges, MOVES)}, ${counted(waiting, STATES)} to go`;

const teamText = (team: ReturnType<typeof settingsOf>['team']): string =>
  [
    ...team.agents,
    ...(team.hasPlanner ? ['a planner'] : []),
    ...(team.hasSupervisor ? ['a supervisor'] : []),
    ...(team.hasTester ? ['a tester'] : []),
    ...(team.hasSummarizer ? ['a summarizer'] : []),
  ].join(', ');

/** Checked before the proof, which may take a minute: a page that cannot be written is reported at once. */
const checkPlace = async (path: string): Promise<void> => {
  const isFolder = async (place: string): Promise<boolean> => {
    try {
      return (await stat(place)).isDirectory();
    } catch {
      return false;
    }
  };
  if (await isFolder(path)) throw cannotWrite(path, 'that is a folder, name a file in it');
  const folder = dirname(resolve(path));
  if (!(await isFolder(folder))) throw cannotWrite(path, `there is no folder ${folder}`);
};

const writePage = async (path: string, subject: ProvedSubject, proof: Proof): Promise<void> => {
  const page = proofPage(subject, proof, await chartPictures(subject.policy));
  try {
    await writeFile(path, page);
  } catch (error) {
    throw cannotWrite(path, error instanceof Error ? error.message : String(error));
  }
};

const cannotWrite = (path: string, reason: string): UsageError =>
  new UsageError(`The page cannot be written to ${path}: ${reason}`);

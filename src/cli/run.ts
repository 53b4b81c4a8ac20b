import { readFile, writeFile } from 'node:fs/promises';

import { PlanwrightError } from '../errors.js';
import type { Policy } from '../policy/types.js';
import type { ExplorationProgress } from '../testing/prove/explore.js';
import { prove } from '../testing/prove/prove.js';
import type { Proof } from '../testing/prove/prove.types.js';
import type { ProveArguments } from './arguments.js';
import { readArguments, USAGE, UsageError } from './arguments.js';
import { priceTag } from './price-tag.js';
import type { ChartPicture } from './proof-page.js';
import { proofPage } from './proof-page.js';
import { policyOf } from './subject.js';

export interface Terminal {
  print(text: string): void;
  warn(text: string): void;
}

/** One call of the command line. The number is the exit code: 0 proved, 1 refuted, 2 not tried. */
export const run = async (args: readonly string[], terminal: Terminal): Promise<number> => {
  try {
    const given = readArguments(args);
    if (given === undefined) {
      terminal.print(USAGE);
      return 0;
    }
    return await proveGiven(given, terminal);
  } catch (error) {
    if (!(error instanceof UsageError) && !PlanwrightError.isInstance(error)) throw error;
    terminal.warn(`${error.message}\n\n${USAGE}`);
    return 2;
  }
};

const proveGiven = async (given: ProveArguments, terminal: Terminal): Promise<number> => {
  const policy = await policyOf(given.subject);
  const { agents, planner, tester, summarizer, supervisor } = given;
  const proof = prove(policy, {
    agents,
    planner,
    tester,
    summarizer,
    ...(supervisor === undefined ? {} : { supervisor }),
    planSteps: given.steps,
    method: given.wholeRun ? 'wholeRun' : 'compositional',
    onProgress: (progress) => {
      terminal.warn(progressText(progress));
    },
  });
  terminal.print(given.json ? JSON.stringify(proof, null, 2) : priceTag(proof));
  if (given.html !== undefined) await writePage(given.html, given.subject, policy, proof);
  return proof.isProved ? 0 : 1;
};

const progressText = ({ system, nodes, edges, waiting }: ExplorationProgress): string =>
  `${system}: ${nodes} states, ${edges} moves, ${waiting} states to go`;

const writePage = async (
  path: string,
  subject: string,
  policy: Policy,
  proof: Proof,
): Promise<void> => {
  try {
    await writeFile(path, proofPage(subject, policy, proof, await chartPictures()));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`The page cannot be written to ${path}: ${reason}`);
  }
};

const CHARTS = ['orchestrator', 'step', 'agent-call', 'breaker'] as const;

/** The pictures that come with the package. */
const chartPictures = async (): Promise<ChartPicture[]> =>
  Promise.all(
    CHARTS.map(async (name) => {
      const url = new URL(`../../visualizations/${name}.svg`, import.meta.url);
      return { name, svg: withoutProlog(await readFile(url, 'utf8')) };
    }),
  );

const withoutProlog = (svg: string): string => svg.slice(Math.max(0, svg.indexOf('<svg')));

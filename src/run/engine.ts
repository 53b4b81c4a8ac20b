import type { Kernel } from '../kernel/kernel.types.js';
import type { Perform, Callable } from '../actors/team.types.js';
import type { CallInput } from '../model/calls.js';
import type { JsonValue } from '../canonical-json.js';
import type { Labels } from '../model/called-run.js';
import type { Proposal } from '../model/proposal.js';
import type { RunHeader } from '../model/run-store.js';
import type { RunVersion } from '../model/run-upgraded.js';
import type { JournalEntry } from '../journal/entry.js';

/** A run before it starts. */
export interface StartOfRun {
  readonly runId: string;
  readonly goal: string;
  readonly plan?: unknown;
  /** JSON. */
  readonly input?: unknown;
  readonly labels?: Labels;
}

/** The members that a run starts with; missing ones stay missing, because headers are plain JSON. */
export const startOf = ({ runId, goal, plan, input, labels }: StartOfRun): StartOfRun => ({
  runId,
  goal,
  ...(plan === undefined ? {} : { plan }),
  ...(input === undefined ? {} : { input }),
  ...(labels === undefined ? {} : { labels }),
});

/** The input of the chart of the goal. */
export interface StartInputOfChart {
  readonly runId: string;
  readonly goal: string;
  readonly input?: JsonValue;
  readonly labels?: Labels;
  /** The given plan with its issues. */
  readonly proposal?: Proposal;
}

/** The parts that runs under one policy share. */
export interface Engine {
  readonly kernel: Kernel;
  readonly perform: Perform;
  /** The input of the goal's chart. A given plan is validated here. */
  readonly startInput: (start: StartOfRun) => StartInputOfChart;
  readonly mayRepeat: (input: CallInput) => boolean;
  readonly policyFingerprint: string;
  readonly chartFingerprint: () => string;
  readonly team: Callable;
}

/** A fork up to the last entry it shares with its parent. From there on it is an ordinary run. */
export interface ForkedRun {
  readonly header: RunHeader;
  readonly entries: readonly JournalEntry[];
  readonly ended: boolean;
  readonly engine: Engine;
}

/** The version that a stored run would be resumed with here. */
export const versionOf = ({
  policyFingerprint,
  chartFingerprint,
  team,
}: Pick<Engine, 'policyFingerprint' | 'chartFingerprint'> & {
  readonly team: Pick<Callable, 'agents'>;
}): RunVersion => ({
  chartFingerprint: chartFingerprint(),
  policyFingerprint,
  agents: [...team.agents.keys()],
});

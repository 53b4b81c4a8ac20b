import type { Issue } from '../../errors.js';
import type { RunStatus } from '../../model/statuses.js';

/** One way through a run, in words. */
export interface RunPath {
  /** What goes other than planned, and where the path ends. No two paths of one orchestrator have the same. */
  readonly name: string;
  /** 'planner proposes a plan', 'coder answers done', 'the time limit passes', ... */
  readonly steps: readonly string[];
  /** Where it leads: the state of the run, or how it has ended. */
  readonly target: string;
}

/** How much of one chart the paths, or a proof, come by. */
export interface ChartCoverage {
  readonly chart: string;
  readonly states: number;
  readonly coveredStates: number;
  readonly transitions: number;
  readonly coveredTransitions: number;
  /** Ids of states that are never entered. */
  readonly missingStates: readonly string[];
  /** Transitions that are never taken: this policy has no use for them, or no path has faults enough at once. */
  readonly missing: readonly string[];
}

export interface PathsOptions {
  /** How many things may go other than planned on one path. @default 2 */
  readonly maxFaults?: number;
}

/** All ways through the runs of an orchestrator. */
export interface GeneratedPaths {
  readonly paths: readonly RunPath[];
  readonly coverage: readonly ChartCoverage[];
}

/** What one agent did with one call. */
export interface AgentCallOutcome {
  readonly agent: string;
  /** The key of the try. */
  readonly key: string;
  /** The kind of its report, the code of its failure, or that the path did not wait for it. */
  readonly outcome: string;
}

/** What became of one path. */
export interface PathReport {
  readonly path: RunPath;
  readonly status: RunStatus;
  readonly reason: string;
  /** True when an agent answered otherwise than the path had it: the rest went as planned. */
  readonly hasLeftPath: boolean;
  /** What the agents under test did, in order. */
  readonly calls: readonly AgentCallOutcome[];
  readonly problems: readonly Issue[];
}

/** One path as a test. */
export interface PathCase {
  readonly name: string;
  /** Takes the path. Rejects with a `PathError` when something is wrong. */
  readonly run: () => Promise<PathReport>;
}

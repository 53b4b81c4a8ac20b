import type { Issue } from '../../errors.js';
import type { RunReport } from '../../journal/report.js';

/** One path through a run, in words. */
export interface RunPath {
  /** The faults of the path, and where it ends. Unique within one orchestrator. */
  readonly name: string;
  /** 'planner proposes a plan', 'coder answers done', 'the time limit passes', ... */
  readonly steps: readonly string[];
  /** The final state of the path: the state of the run, or how it has ended. */
  readonly target: string;
}

/** How much of one chart the paths, or a proof, reach. */
export interface ChartCoverage {
  readonly chart: string;
  readonly states: number;
  readonly coveredStates: number;
  readonly transitions: number;
  readonly coveredTransitions: number;
  /** Ids of states that are never entered. */
  readonly missingStates: readonly string[];
  /** Transitions that are never taken: this policy does not use them, or they need more faults than a path has. */
  readonly missing: readonly string[];
}

export interface PathsOptions {
  /** The maximum number of faults on one path. @default 2 */
  readonly maxFaults?: number;
}

/** All paths through the runs of an orchestrator. */
export interface GeneratedPaths {
  readonly paths: readonly RunPath[];
  readonly coverage: readonly ChartCoverage[];
}

/** One call of an agent under test, and its outcome. */
export interface AgentCallOutcome {
  readonly agent: string;
  /** The key of the try. */
  readonly key: string;
  /** The kind of its report, the code of its failure, or that the path did not wait for it. */
  readonly outcome: string;
}

/** The result of one path. */
export interface PathReport {
  readonly path: RunPath;
  readonly status: RunReport['status'];
  readonly reason: string;
  /** True when an agent answered differently from the path; the rest of the run went as planned. */
  readonly hasLeftPath: boolean;
  /** The calls of the agents under test, in order. */
  readonly calls: readonly AgentCallOutcome[];
  readonly problems: readonly Issue[];
}

/** One path as a test. */
export interface PathCase {
  readonly name: string;
  /** Runs the path. Rejects with a `PathError` when a promise is broken. */
  readonly run: () => Promise<PathReport>;
}

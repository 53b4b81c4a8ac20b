import type { Agent } from '../../agents/agent.js';
import type { KernelInput } from '../../kernel/kernel.types.js';
import type { Bounds } from '../../policy/bounds.js';
import type { ChartCoverage } from '../paths/paths.types.js';
import type { ExplorationProgress } from './explore.js';
import type { Metric } from './metrics.js';
import type { MoveKind } from './model.types.js';

/** The agents and roles of a proof. */
export interface ProveTeam {
  /** The team: names, or the agents themselves. An agent with a fallback costs more. */
  readonly agents: readonly (string | Agent)[];
  /** @default true */
  readonly planner?: boolean;
  /** @default true when the policy has a gate */
  readonly supervisor?: boolean;
  /** @default false */
  readonly tester?: boolean;
  /** @default false */
  readonly summarizer?: boolean;
}

/** The agents and roles of a proof, and its limits. */
export interface ProveOptions extends ProveTeam {
  /** The most steps of an explored plan; never above `limits.maxSteps`. @default 3 */
  readonly planSteps?: number;
  /**
   * `compositional` explores each chart against the proved contract of its children; `wholeRun` explores all of them
   * together, which is only possible for small policies. @default 'compositional'
   */
  readonly method?: ProofMethod;
  readonly onProgress?: (progress: ExplorationProgress) => void;
}

export type ProofMethod = 'wholeRun' | 'compositional';

/** A maximum, and a path to it. */
export interface Maximum {
  readonly value: number;
  /** The value of `orchestrator.bounds()` for plans of this size. */
  readonly bound: number;
  readonly witness: Witness;
}

/** One move on a path. Plain JSON. */
export interface WayMove {
  readonly sentence: string;
  readonly kind: MoveKind;
  readonly input: KernelInput;
  /** The names of the parts that show the cost of the child charts that end with, or are stopped by, this move. */
  readonly parts?: readonly string[];
}

/** A path through one system that can be replayed. */
export interface Way {
  /** `the whole run`, or one chart on its own against the contracts of its children: `a planned step at level 0`. */
  readonly system: string;
  readonly moves: readonly WayMove[];
}

/** A path to a maximum or a violation: as sentences for people, as moves for `replayWitness`. */
export interface Witness extends Way {
  /** One sentence for each move; in a path chart by chart, the path of a child is shown below it, once. */
  readonly sentences: readonly string[];
  /** Paths of the child charts, by the names used in moves. Empty for a whole run. */
  readonly parts: Readonly<Record<string, Way>>;
}

/** The size of an explored system. */
export interface Explored {
  readonly system: string;
  readonly nodes: number;
  readonly edges: number;
  /** The highest rank: the maximum number of moves between two nudges of a person. */
  readonly highestRank: number;
}

/** The rules for every state and every path. */
export type Rule =
  | 'bound'
  | 'deadline'
  | 'rejection'
  | 'crash'
  | 'termination'
  | 'finite cost'
  | 'price tag';

export const RULES: readonly Rule[] = [
  'bound',
  'deadline',
  'rejection',
  'crash',
  'termination',
  'finite cost',
  'price tag',
];

export interface Counterexample {
  readonly rule: Rule;
  readonly message: string;
  readonly witness: Witness;
  /** The source of a test that fails as long as the counterexample exists. */
  readonly test: string;
}

/** A proof, or a counterexample. Plain JSON. */
export interface Proof {
  readonly isProved: boolean;
  readonly method: ProofMethod;
  readonly planSteps: number;
  /** Null when there is a counterexample. */
  readonly maxima: Readonly<Record<Metric, Maximum>> | null;
  readonly bounds: Bounds;
  readonly explored: readonly Explored[];
  /**
   * How much of each chart this policy can reach, counted from the charts. No answer of any agent or person reaches the
   * missing parts. In a compositional proof a breaker's answer is a choice: its chart is left out where a policy has
   * one.
   */
  readonly coverage: readonly ChartCoverage[];
  readonly rules: readonly Rule[];
  readonly counterexample: Counterexample | null;
}

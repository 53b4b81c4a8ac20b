import type { Agent } from '../../agents/agent.js';
import type { KernelInput } from '../../kernel/kernel.types.js';
import type { Bounds } from '../../policy/bounds.js';
import type { ChartCoverage } from '../paths/paths.types.js';
import type { ExplorationProgress } from './explore.js';
import type { Metric } from './metrics.js';
import type { MoveKind } from './model.types.js';

/** Who is there to be called. */
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

/** Who is there to be called, and how far to look. */
export interface ProveOptions extends ProveTeam {
  /** The most steps of a plan that are looked at; never above `limits.maxSteps`. @default 3 */
  readonly planSteps?: number;
  /**
   * `compositional` explores each chart against the proved contract of its children; `wholeRun` explores all of them
   * together, which is only possible for small policies. @default 'compositional'
   */
  readonly method?: ProofMethod;
  readonly onProgress?: (progress: ExplorationProgress) => void;
}

export type ProofMethod = 'wholeRun' | 'compositional';

/** The most of something, and a way to it. */
export interface Maximum {
  readonly value: number;
  /** What `orchestrator.bounds()` says for plans of this size. */
  readonly bound: number;
  readonly witness: Witness;
}

/** One thing that happens on a way. Plain JSON. */
export interface WayMove {
  readonly sentence: string;
  readonly kind: MoveKind;
  readonly input: KernelInput;
  /** The parts that tell what the charts below cost that end with this move, or are stopped by it. */
  readonly parts?: readonly string[];
}

/** A way through one system, as it can be taken again. */
export interface Way {
  /** `the whole run`, or one chart on its own against what its children were proved to do: `a planned step at level 0`. */
  readonly system: string;
  readonly moves: readonly WayMove[];
}

/** How something comes about: for people in sentences, for `replayWitness` as moves. */
export interface Witness extends Way {
  /** One for each move; in a way chart by chart, what a child did is told below it, once. */
  readonly sentences: readonly string[];
  /** Ways of the charts below, by the names that moves give them. A whole run has none. */
  readonly parts: Readonly<Record<string, Way>>;
}

/** What was looked at. */
export interface Explored {
  readonly system: string;
  readonly nodes: number;
  readonly edges: number;
  /** The highest rank: between two nudges of a person no more moves than this are possible. */
  readonly highestRank: number;
}

/** What must hold in every state and on every way. */
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
  /** The source of a test that fails while the counterexample stands. */
  readonly test: string;
}

/** What is proved, or why it is not. Plain JSON. */
export interface Proof {
  readonly isProved: boolean;
  readonly method: ProofMethod;
  readonly planSteps: number;
  /** Null when there is a counterexample. */
  readonly maxima: Readonly<Record<Metric, Maximum>> | null;
  readonly bounds: Bounds;
  readonly explored: readonly Explored[];
  /**
   * How much of each chart this policy can come by, counted from the charts. What is missing was not reached by anything
   * that anybody may answer. Compositionally what a breaker says is a choice: where a policy has one, its chart is left out.
   */
  readonly coverage: readonly ChartCoverage[];
  readonly rules: readonly Rule[];
  readonly counterexample: Counterexample | null;
}

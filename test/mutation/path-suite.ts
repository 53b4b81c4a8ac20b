import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';

import type { ChartRunner, Transitioned } from '../../src/kernel/chart-runner.js';
import { restoredSnapshot } from '../../src/kernel/chart-runner.js';
import type { RequestedAction } from '../../src/kernel/inert.js';
import { collectingScope, withInertActors } from '../../src/kernel/inert.js';
import { createKernel } from '../../src/kernel/kernel.js';
import type { Kernel, KernelStep } from '../../src/kernel/kernel.types.js';
import { nodesOf } from '../../src/kernel/xstate-shapes.js';
import type { ModelState } from '../../src/proof/paths/model.js';
import { inputFor } from '../../src/proof/paths/model.js';
import { difference, expectationOf } from '../../src/proof/paths/observation.js';
import type { ChartPaths } from '../generated/chart-paths.js';
import { explorePathsOf, machineFor, ourCharts } from '../generated/chart-paths.js';
import { chartsAround } from '../generated/parent.js';
import { watchedGuards } from './guards-asked.js';
import type { ChartName, Mutant } from './mutants.js';
import { answerClue } from './mutants.js';
import type { Comparisons } from './numbers-compared.js';
import { keyOf } from './numbers-compared.js';

/*
 * The generated paths as a test of mutants. A path goes wrong at the first step that a mutant takes differently, and
 * there the guard that is wrong gave an answer that the mutant does not heed: so only those steps are taken, each from where
 * its path had come to.
 */

/** One step of a generated path: where it ended, and by its `via` what happened where. */
interface GeneratedStep {
  readonly expected: ModelState;
  /** The states that were gone through, and what was done in them. */
  readonly trail: string;
}

/** All steps of the paths of one configuration, each once. */
export interface PathSuite {
  readonly name: string;
  readonly chart: AnyStateMachine;
  readonly input: unknown;
  readonly configuration: ChartPaths['configuration'];
  readonly steps: readonly GeneratedStep[];
  /**
   * By what guards answered on the way, and by the comparisons that would have turned had a number been one more or
   * less.
   */
  readonly stepsByClue: ReadonlyMap<string, readonly GeneratedStep[]>;
}

/** The paths of one chart, generated from it as it is; the numbers its guards compare are noted on the way. */
export const pathSuitesOf = (chart: ChartName, comparisons: Comparisons): PathSuite[] =>
  explorePathsOf(chart).map((paths) => suiteOf(paths, comparisons));

const suiteOf = (
  { chart: name, configuration, explored }: ChartPaths,
  comparisons: Comparisons,
): PathSuite => {
  const chart = machineFor(ourCharts, name, configuration);
  const input = { input: configuration.input };
  let clues = new Set<string>();
  const watched = watchedGuards(chart, (asked) => {
    clues.add(answerClue(asked.guard, asked.params, asked.answer));
    for (const comparison of comparisons.note(asked)) clues.add(keyOf(comparison));
  });
  const subject = new Subject(watched, input);
  const starts = explored.paths.slice(0, 1).map(({ start }) => start);
  const stepsByClue = new Map<string, GeneratedStep[]>();
  const taken: GeneratedStep[] = [];
  for (const expected of [...starts, ...explored.edges]) {
    clues = new Set();
    const problem = subject.differenceAt(expected);
    if (problem !== undefined) throw new Error(`The chart itself fails: ${problem}`);
    const step = { expected, trail: subject.trail };
    taken.push(step);
    for (const clue of clues) {
      const steps = stepsByClue.get(clue);
      if (steps === undefined) stepsByClue.set(clue, [step]);
      else steps.push(step);
    }
  }
  return { name: configuration.name, chart, input, configuration, steps: taken, stepsByClue };
};

/** What a mutant does differently on the paths, in words; undefined when it does not. */
export const refutationByPaths = (mutant: Mutant, suite: PathSuite): string | undefined => {
  const steps = mutant.clues.flatMap((clue) => suite.stepsByClue.get(clue) ?? []);
  if (steps.length === 0) return undefined;
  return differenceOnPaths(mutant.mutate(suite.chart), suite.input, steps);
};

/** What another chart does differently in these steps, in words; undefined when it does not. */
export const differenceOnPaths = (
  chart: AnyStateMachine,
  input: unknown,
  steps: readonly GeneratedStep[],
): string | undefined => {
  const subject = new Subject(chart, input);
  for (const { expected, trail } of steps) {
    const problem = subject.differenceAt(expected);
    if (problem !== undefined) return problem;
    if (subject.trail !== trail) return `on the way: expected ${trail}, got ${subject.trail}`;
  }
  return undefined;
};

/** A chart that can be put into any state of a path. */
class Subject {
  readonly #kernel: Kernel;
  readonly #input: unknown;
  #trail: string[] = [];

  constructor(chart: AnyStateMachine, input: unknown) {
    this.#kernel = createKernel(chartsAround(chart), (machine) =>
      reboundRunner(machine, (seen) => this.#trail.push(seen)),
    );
    this.#input = input;
  }

  /** What it went through in the last step. */
  get trail(): string {
    return this.#trail.join('; ');
  }

  differenceAt(expected: ModelState): string | undefined {
    this.#trail = [];
    return stepDifference(expected, this.#take(expected));
  }

  #take({ via }: ModelState): KernelStep {
    if (via === null) {
      return this.#kernel.step(this.#kernel.initialState, { kind: 'started', input: this.#input });
    }
    return this.#kernel.step(via.from.kernel, inputFor(via.from, via.happening));
  }
}

const stepDifference = (expected: ModelState, step: KernelStep): string | undefined => {
  const [effects, actual] = [textOf(expected.step.effects), textOf(step.effects)];
  if (effects !== actual) return `effects: expected ${effects}, got ${actual}`;
  const [output, actualOutput] = [textOf(expected.step.output), textOf(step.output)];
  if (output !== actualOutput) return `output: expected ${output}, got ${actualOutput}`;
  return difference(
    expectationOf(expected),
    expectationOf({ ...expected, kernel: step.state, step }),
  );
};

const textOf = (value: unknown): string =>
  value === undefined
    ? 'nothing'
    : JSON.stringify(value, (key, inner: unknown) => (key === 'settings' ? undefined : inner));

// ---- Another chart in the same state ----------------------------------------------------------

/** Takes a snapshot of a chart on with another chart that has the same states. */
const reboundRunner = (chart: AnyStateMachine, note: (seen: string) => void): ChartRunner => {
  const machine = withInertActors(chart);
  const rebound = (snapshot: AnyMachineSnapshot): AnyMachineSnapshot =>
    Object.assign({}, snapshot, {
      machine,
      _nodes: nodesOf(snapshot).map(({ id }) => machine.getStateNodeById(id)),
    });
  const seen = (transitioned: Transitioned): Transitioned => {
    const { snapshot, actions } = transitioned;
    note([textOf(snapshot.value), ...actions.map(messageText)].join(' '));
    return transitioned;
  };
  return {
    begin: (self, input) => {
      const actions: RequestedAction[] = [];
      const snapshot = machine.getInitialSnapshot(collectingScope(self, actions), input);
      return seen({ snapshot: snapshot as AnyMachineSnapshot, actions });
    },
    advance: (self, snapshot, event) => {
      const actions: RequestedAction[] = [];
      const scope = collectingScope(self, actions);
      const next = machine.transition(rebound(snapshot), event, scope);
      return seen({ snapshot: next as AnyMachineSnapshot, actions });
    },
    restore: (saved) => restoredSnapshot(machine, saved),
  };
};

/** Messages to children are seen here and nowhere else: whoever gets them is a call, and calls hear nothing. */
const messageText = ({ type, params }: RequestedAction): string => {
  if (type !== 'xstate.sendTo') return type;
  const { event, to, targetId } = params as {
    readonly event: unknown;
    readonly to: unknown;
    readonly targetId?: unknown;
  };
  return `sends ${textOf(event)} to ${textOf(targetId ?? (to as { readonly id?: unknown }).id)}`;
};

import type { CallInput } from '../../model/calls.js';
import type { Internals } from '../../orchestrator/internals.js';
import { internalsOf } from '../../orchestrator/internals.js';
import { chartsOf } from '../../orchestrator/charts.js';
import type { Issue } from '../../errors.js';
import { ConfigurationError } from '../../errors.js';
import type { Settings } from '../../model/settings.js';
import type { Act } from './acts.js';
import { coverageOf } from './coverage.js';
import type { GeneratedPath } from './explore.js';
import { exploreWithXState } from './graph.js';
import type { ModelState } from './model.js';
import type { ChartCoverage, GeneratedPaths, PathsOptions, RunPath } from './paths.types.js';
import { withSmallBounds } from './small-policy.js';
import { exploreWholeRun } from './whole-run.js';

const DEFAULT_FAULTS = 2;
const MOST_FAULTS = 4;
/** The limit of visited states. With the faults of a path bounded there are far fewer. */
const LIMIT = 2_000_000;

/** A path with everything needed to run it. */
export interface PlannedPath {
  readonly path: RunPath;
  readonly generated: GeneratedPath;
}

export interface PlannedPaths {
  readonly settings: Settings;
  readonly planned: readonly PlannedPath[];
  readonly coverage: readonly ChartCoverage[];
}

/**
 * Every path through the runs of an orchestrator with up to two faults: agents that throw, are blocked or too slow,
 * rejected plans, low scores, people who reject, pause or abort, timeouts. The paths are derived from the charts under
 * the policy of the orchestrator, with each loop taken once or twice.
 *
 * @example
 * ```ts
 * for (const { name, steps, target } of generatePaths(orchestrator).paths) console.log(name, steps, target);
 * ```
 */
export const generatePaths = (orchestrator: object, options: PathsOptions = {}): GeneratedPaths => {
  const { planned, coverage } = planPaths(checkedInternals(orchestrator), options);
  return { paths: planned.map(({ path }) => path), coverage };
};

export const checkedInternals = (orchestrator: unknown): Internals => {
  const isObject = typeof orchestrator === 'object' && orchestrator !== null;
  const internals = isObject ? internalsOf(orchestrator) : undefined;
  if (internals !== undefined) return internals;
  const message = 'Expected an orchestrator made by createOrchestrator';
  throw new ConfigurationError([{ code: 'invalid-orchestrator', path: '', message }]);
};

export const planPaths = (
  { settings: own }: Internals,
  { maxFaults = DEFAULT_FAULTS }: PathsOptions,
  isPossible?: (act: Act, input: CallInput) => boolean,
): PlannedPaths => {
  const issues = faultIssues(maxFaults);
  if (issues.length > 0) throw new ConfigurationError(issues);
  const settings: Settings = { ...own, policy: withSmallBounds(own.policy) };
  const run = { settings, maxFaults, ...(isPossible && { isPossible }) };
  const { paths, sightings } = exploreWholeRun(run, exploreWithXState, LIMIT);
  const names = new Map<string, number>();
  const planned = paths.map((generated) => {
    const path = described(generated);
    const count = (names.get(path.name) ?? 0) + 1;
    names.set(path.name, count);
    return {
      path: count === 1 ? path : { ...path, name: `${path.name} (${count})` },
      generated,
    };
  });
  return { settings, planned, coverage: coverageOf(chartsOf(settings), sightings) };
};

const faultIssues = (maxFaults: unknown): Issue[] => {
  const isGood =
    Number.isInteger(maxFaults) && Number(maxFaults) >= 0 && Number(maxFaults) <= MOST_FAULTS;
  if (isGood) return [];
  const message = `Expected a whole number from 0 to ${MOST_FAULTS}, got ${String(maxFaults)}`;
  return [{ code: 'invalid-option', path: 'maxFaults', message }];
};

const described = ({ start, steps }: GeneratedPath): RunPath => {
  const target = placeOf(steps.at(-1)?.expected ?? start);
  const faults = steps.flatMap(({ happening, expected }) =>
    happening.isFault === true ? [`${happening.says}${during(expected)}`] : [],
  );
  const story = faults.length === 0 ? 'everything as planned' : faults.join(', then ');
  return {
    name: `${story}: ${target}`,
    steps: steps.map(({ happening }) => happening.says),
    target,
  };
};

/** People and the clock may act at any time, so the name says when. */
const during = ({ via }: ModelState): string =>
  via === null || via.happening.type === 'answered' ? '' : ` (${placeOf(via.from)})`;

const placeOf = ({ kernel, step }: ModelState): string => {
  if (step.status !== 'active') return (step.output as { readonly status: string }).status;
  const value = kernel.nodes.get('')?.snapshot.value as
    | string
    | { readonly active?: { readonly work: string } }
    | undefined;
  return typeof value === 'object' ? (value.active?.work ?? '') : (value ?? '');
};

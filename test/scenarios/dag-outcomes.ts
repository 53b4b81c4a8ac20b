import type { World } from './dag-worlds.js';

/* The expected outcome of every step of a world, computed in the simplest way: without charts, events or plans. */

export type Outcome = 'completed' | 'failed' | 'skipped' | 'cancelled' | 'replaced';

interface Rules {
  /** Steps that run at the same time. All take equally long, so the first to start is the first to end. */
  readonly maxParallel: number;
  /** Failures that are tolerated; after one more nothing starts. */
  readonly maxFailures: number;
  /** What happens to the dependents of a failure; after a `stop` no other step starts either. */
  readonly onDependencyFailure: 'skip' | 'run' | 'stop';
  /** A planner that is asked after a failure and answers that nothing more is to be done. */
  readonly givesUp: boolean;
}

export interface Expected {
  readonly outcomes: readonly Outcome[];
  readonly failures: number;
}

export const expectedOf = ({ dag, failing }: World, rules: Rules): Expected => {
  const outcomes: (Outcome | undefined)[] = dag.map(() => undefined);
  const running: number[] = [];
  let failures = 0;
  let hasGivenUp = false;
  const isStopped = (): boolean =>
    failures > rules.maxFailures ||
    (rules.onDependencyFailure === 'stop' && outcomes.includes('skipped'));

  const isReady = (index: number): boolean =>
    outcomes[index] === undefined &&
    !running.includes(index) &&
    (dag[index] ?? []).every((dependency) => {
      const outcome = outcomes[dependency];
      return (
        outcome === 'completed' || (outcome !== undefined && rules.onDependencyFailure === 'run')
      );
    });
  const start = (): void => {
    while (running.length < rules.maxParallel && !isStopped() && !hasGivenUp) {
      const next = outcomes.findIndex((_, index) => isReady(index));
      if (next < 0) return;
      running.push(next);
    }
  };
  /** Dependencies come before their dependents, so one pass in order finds all. */
  const skipBehindFailures = (): void => {
    for (const [index, dependsOn] of dag.entries()) {
      const isBehind = dependsOn.some(
        (on) => outcomes[on] === 'failed' || outcomes[on] === 'skipped',
      );
      if (isBehind) outcomes[index] = 'skipped';
    }
  };

  start();
  for (let index = running.shift(); index !== undefined; index = running.shift()) {
    outcomes[index] = failing.includes(index) ? 'failed' : 'completed';
    if (outcomes[index] === 'failed') {
      failures += 1;
      hasGivenUp = rules.givesUp;
      if (rules.onDependencyFailure !== 'run') skipBehindFailures();
    }
    start();
  }
  const left = hasGivenUp && !isStopped() ? 'replaced' : 'cancelled';
  return { outcomes: outcomes.map((outcome) => outcome ?? left), failures };
};

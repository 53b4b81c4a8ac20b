import type { OrchestratorContext } from '../../src/machines/orchestrator/context.js';
import { costOf, frameAfter, textAfter } from '../../src/proof/prove/explore.js';
import { METRICS } from '../../src/proof/prove/metrics.js';
import type { Frame, Move, System } from '../../src/proof/prove/model.types.js';

/*
 * The assumption of a proof: two states that look the same to guards have the same future. The explorer takes one of
 * them for all; here the others are explored one step further, too, and compared.
 */

interface Step {
  readonly text: string;
  readonly frame: Frame | undefined;
  readonly signature: string;
}

const stepsFrom = (system: System, frame: Frame, moves: readonly Move[]): Step[] =>
  moves.filter(isCompared).map((move) => {
    const step = system.kernel.step(frame.state, move.input);
    const next = frameAfter(frame, step);
    const isOver = step.status !== 'active';
    const text = textAfter(system, step, next);
    const cost = costOf(system, frame, move, step);
    const costs = METRICS.map((metric) => cost[metric]).join();
    return { text, frame: isOver ? undefined : next, signature: `${move.kind} ${costs} ${text}` };
  });

/**
 * A skip to a step equals skips of several steps, one after the other; and only the clock reads the remaining time.
 * Both are compared in reductions.test.ts.
 */
const isCompared = ({ label }: Move): boolean =>
  !label.startsWith('A person skips to') && label !== 'A person gives more time';

/** Samples with new counters tell more: there may be this many times as many. */
const COUNTERS_FOR_SAMPLE = 6;

/** What a projection may leave out of a plan. */
const countersOf = ({ state }: Frame): string => {
  const plans = [...state.nodes.values()].filter(({ chart }) => chart === 'orchestrator');
  const counters = plans.map(({ snapshot }) => {
    const context = snapshot.context as OrchestratorContext;
    const { progress, replans, requests, fingerprints } = context;
    const { failedSincePlan, unresolved, pending } = progress.counts;
    const planned = progress.steps.length;
    return [
      failedSincePlan,
      unresolved,
      pending,
      planned,
      replans,
      requests.length,
      fingerprints.length,
    ].join();
  });
  return counters.join(' ');
};

const signatureOf = (steps: readonly Step[]): string =>
  [...new Set(steps.map(({ signature }) => signature))].sort().join('\n');

/** Every place where a state has another future than its representative. */
export const differentFutures = (
  system: System,
  samplesPerState: number,
): { readonly compared: number; readonly differences: readonly string[] } => {
  const futures = new Map<string, string>();
  const samples = new Map<string, string[]>();
  const start = { state: system.kernel.initialState, calls: new Map() };
  const queue = stepsFrom(system, start, system.starts);
  const differences: string[] = [];
  let compared = 0;
  for (const { text, frame } of queue) {
    if (frame === undefined) continue;
    const seen = samples.get(text) ?? [];
    const counters = countersOf(frame);
    const most = seen.includes(counters) ? samplesPerState : COUNTERS_FOR_SAMPLE * samplesPerState;
    if (seen.length > most) continue;
    samples.set(text, [...seen, counters]);
    const steps = stepsFrom(system, frame, system.moves(frame));
    const future = signatureOf(steps);
    const known = futures.get(text);
    if (known === undefined) {
      futures.set(text, future);
      queue.push(...steps);
      continue;
    }
    compared += 1;
    // The successors of a sample are samples of the next states.
    queue.push(...steps);
    if (known !== future) differences.push(`${text}\n--- one\n${known}\n--- other\n${future}`);
  }
  return { compared, differences };
};

import { chartsOf } from '../../composition/charts.js';
import type { FactBody } from '../../journal/facts.js';
import type { KernelInput } from '../../kernel/kernel.types.js';
import type { Policy } from '../../policy/types.js';
import { frameAfter } from './explore.js';
import type { Weights } from './metrics.js';
import { NOTHING, sumOf, weightsOf } from './metrics.js';
import type { Frame, Violation } from './model.types.js';
import { withWallTime } from './moves/wall-time.js';
import type { ProveOptions } from './prove.types.js';
import { settingsOf } from './settings.js';
import type { Charts } from './whole-run.js';
import { wholeRun } from './whole-run.js';

/** What a replayed way through a run came to. */
export interface ReplayedInputs {
  readonly status: 'active' | 'done' | 'error';
  readonly facts: readonly FactBody[];
  readonly cost: Weights;
  /** What should not have been possible. */
  readonly violations: readonly Violation[];
  /** True when the run was twice in a state that guards cannot tell apart. */
  readonly isCircular: boolean;
}

/** Takes the charts along the inputs of a witness, as `prove` found them. */
export const replayInputs = (
  policy: Policy,
  options: ProveOptions,
  inputs: readonly KernelInput[],
  charts?: Charts,
): ReplayedInputs => {
  const settings = settingsOf(policy, options);
  const system = wholeRun(charts ?? chartsOf(settings), settings, 0);
  let frame: Frame = { state: system.kernel.initialState, calls: new Map() };
  let status: ReplayedInputs['status'] = 'active';
  let cost = NOTHING;
  const facts: FactBody[] = [];
  const violations: Violation[] = [];
  const texts = new Set<string>();
  let isCircular = false;
  for (const input of inputs) {
    const move = withWallTime(frame, { kind: 'answer', label: '', input });
    const step = system.kernel.step(frame.state, input);
    cost = sumOf(sumOf(cost, weightsOf(step.emitted)), move.cost ?? NOTHING);
    facts.push(...(step.emitted as unknown as FactBody[]));
    violations.push(...system.violationsOfStep(frame, move, step));
    frame = frameAfter(frame, step);
    status = step.status;
    if (status !== 'active') break;
    violations.push(...system.violations(frame));
    const text = system.textOf(frame);
    isCircular ||= texts.has(text);
    texts.add(text);
  }
  return { status, facts, cost, violations, isCircular };
};

import { chartsOf } from '../../src/orchestrator/charts.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import { compose, repertoireFor } from '../../src/proof/prove/compositional/compose.js';
import { contractOf } from '../../src/proof/prove/compositional/contract.js';
import { goalSystem } from '../../src/proof/prove/compositional/plan-system.js';
import { frameAfter } from '../../src/proof/prove/explore.js';
import type { Frame, System } from '../../src/proof/prove/model.types.js';
import type { Repertoire } from '../../src/proof/prove/moves/replies.js';
import { settingsOf } from '../../src/proof/prove/settings.js';
import { small, TEAM } from './configurations.js';

/** The plan of the goal on its own: as it is proved, or without the reduction of plans. */
export const planOf = (
  policy: PolicyOverrides,
  instead: (repertoire: Repertoire) => Partial<Repertoire> = () => ({}),
): System => {
  const settings = settingsOf(small(policy), TEAM);
  const { analyses } = compose(chartsOf, settings, {});
  const repertoire = repertoireFor(settings);
  const contracts = new Map(
    analyses
      .slice(0, -1)
      .map((analysis) => [analysis.system.name, contractOf(analysis, undefined)] as const),
  );
  const planned = contracts.get('a planned step at level 0');
  return goalSystem(
    chartsOf(repertoire.settings),
    { ...repertoire, ...instead(repertoire) },
    { calls: contracts, ...(planned === undefined ? {} : { planned, handedOn: planned }) },
  );
};

/** One frame for every state, or for every one that the extra key distinguishes. */
export function* framesOf(
  system: System,
  textOf: (frame: Frame) => string = system.textOf,
): Generator<Frame> {
  const start: Frame = { state: system.kernel.initialState, calls: new Map() };
  const seen = new Set<string>();
  const queue: Frame[] = [start];
  for (const frame of queue) {
    if (frame !== start) yield frame;
    for (const { input } of frame === start ? system.starts : system.moves(frame)) {
      const step = system.kernel.step(frame.state, input);
      const next = frameAfter(frame, step);
      const text = step.status === 'active' ? textOf(next) : '';
      if (text === '' || seen.has(text)) continue;
      seen.add(text);
      queue.push(next);
    }
  }
}

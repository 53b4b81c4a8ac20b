import { describe, expect, it } from 'vitest';

import type { PlannerRequest } from '../../src/model/calls.js';
import type { KernelInput } from '../../src/kernel/kernel.types.js';
import { validatePlan } from '../../src/plan/validate.js';
import type { PolicyOverrides } from '../../src/model/policy.js';
import { analyse } from '../../src/proof/prove/analysis.js';
import { costOf, frameAfter } from '../../src/proof/prove/explore.js';
import { METRICS } from '../../src/proof/prove/metrics.js';
import type { Frame, System } from '../../src/proof/prove/model.types.js';
import { MORE_TIME } from '../../src/proof/prove/moves/commands.js';
import { PlanShapes } from '../../src/proof/prove/moves/plan-shapes.js';
import type { Repertoire } from '../../src/proof/prove/moves/replies.js';
import { linkedGroups } from '../../src/proof/prove/moves/skips.js';
import { liveSteps } from '../../src/proof/prove/projection/live-steps.js';
import { rootPlanOf } from '../../src/proof/prove/root-plan.js';
import { framesOf, planOf } from './plan-of.js';

/*
 * The cases that a proof leaves out because another case represents them. Each is explored both ways here, in every
 * state of a small policy, and compared.
 */

const textAfter = (system: System, frame: Frame, inputs: readonly KernelInput[]): string => {
  let here = frame;
  for (const input of inputs) {
    const step = system.kernel.step(here.state, input);
    if (step.status !== 'active') return `end: ${system.endOf(step)}`;
    here = frameAfter(here, step);
  }
  return system.textOf(here);
};

const commanded = (event: { readonly type: string; readonly [name: string]: unknown }) =>
  ({ kind: 'commanded', event }) as const;

describe('a case that another one represents', () => {
  const system = planOf({
    limits: { maxSteps: 2, maxParallel: 2, maxReplans: 2 },
    replan: { merge: 'appendNext' },
  });
  const frames = [...framesOf(system)];

  it('a skip to a step equals skips of the steps before it, group by group', () => {
    let compared = 0;
    for (const frame of frames) {
      const context = rootPlanOf(frame);
      const live = liveSteps(context);
      for (const { index: target } of context.ending === null ? live : []) {
        const idOf = (index: number): string => context.progress.steps[index]?.id ?? '';
        const groups = linkedGroups(live)
          .map((group) => group.filter(({ index }) => index < target))
          .filter((group) => group.length > 0);
        const oneByOne = groups.map((group) =>
          commanded({ type: 'plan.skip', stepIds: group.map(({ index }) => idOf(index)) }),
        );
        const atOnce = commanded({ type: 'plan.skipTo', stepId: idOf(target) });
        expect(textAfter(system, frame, [atOnce])).toBe(textAfter(system, frame, oneByOne));
        compared += groups.length;
      }
    }
    expect(compared).toBeGreaterThan(300);
  });

  it('the remaining time has no effect as long as the clock is not read', () => {
    let compared = 0;
    for (const frame of frames.filter((_, position) => position % 3 === 0)) {
      if (rootPlanOf(frame).ending !== null) continue;
      const given = system.kernel.step(frame.state, MORE_TIME.input);
      const later = frameAfter(frame, given);
      expect(rootPlanOf(later).extensionMs).toBeGreaterThan(0);
      expect(system.textOf(later)).toBe(system.textOf(frame));
      for (const move of system.moves(frame)) {
        if (move.input.kind === 'elapsed' && move.input.timer.includes('.clock.')) continue;
        const [one, other] = [frame, later].map((from) => {
          const step = system.kernel.step(from.state, move.input);
          const cost = costOf(system, from, move, step);
          return [cost, textAfter(system, from, [move.input])];
        });
        expect(other).toEqual(one);
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(1_000);
  });

  it('every explored plan passes the validation of planner answers', () => {
    let checked = 0;
    for (const frame of frames) {
      const call = [...frame.calls.values()].find(({ actor }) => actor === 'agentCall');
      const { request } = (call?.input ?? {}) as { request?: PlannerRequest };
      if (request?.role !== 'planner') continue;
      for (const { input, label } of system.moves(frame)) {
        const output = input.kind === 'answered' ? (input.output as Answered) : undefined;
        const plan = output?.answer?.plan;
        if (plan == null || label.includes('the same plan again')) continue;
        const rules = { agents: ['worker'], maxSteps: 2, maxVotes: 1 };
        const { existingStepIds } = request;
        expect([label, validatePlan(plan, { ...rules, existingStepIds }).ok]).toEqual([
          label,
          true,
        ]);
        checked += 1;
      }
    }
    expect(checked).toBeGreaterThan(300);
  });
});

interface Answered {
  readonly answer?: { readonly plan?: unknown };
}

/** A state without the dependencies of its steps; with `isReadySeen`, still with whether they are met. */
const unlinked = (text: string, isReadySeen: boolean): string => {
  const [head = '', steps = '', others = ''] = text.split(';');
  const kinds = steps
    .split(/[ |]/)
    .filter((step) => step !== '')
    .map((step) => step.replace(/<[\d&]+/, isReadySeen ? '<waits' : '<').replace('!', ''));
  // A plan under review is in the head, with its own links.
  const unjudged = head.replaceAll(/<[\dw&]+(?=[ \]])/g, '<');
  return [unjudged, kinds.sort().join(' '), others].join(';');
};

/**
 * Asserts that one system represents another with more states: it has all of them, links aside, with the same
 * results.
 */
const expectToStandFor = (fewer: System, more: System, isReadySeen: boolean): void => {
  const [few, many] = [fewer, more].map((system) => analyse(system));
  expect([few?.refutation, many?.refutation]).toEqual([undefined, undefined]);
  const [known, all] = [few, many].map((analysis) => {
    const { graph } = analysis!.exploration;
    const nodes = Array.from({ length: graph.size }, (_, node) => graph.textOf(node));
    return new Set(nodes.map((text) => unlinked(text, isReadySeen)));
  });
  expect([...(all ?? [])].filter((text) => known?.has(text) !== true)).toEqual([]);
  expect(many?.explored.nodes).toBeGreaterThan(few?.explored.nodes ?? 0);
  for (const metric of METRICS) {
    const [most, mostOfMore] = [few, many].map(
      (analysis) => analysis?.paths.most(metric, [...analysis.exploration.outputs.keys()])?.value,
    );
    expect([metric, most]).toEqual([metric, mostOfMore]);
  }
};

describe('where steps run one at a time and plans are appended', () => {
  it.each(['append', 'appendNext'] as const)(
    'lists represent plans of every shape: %s',
    (merge) => {
      const policy: PolicyOverrides = { limits: { maxSteps: 2, maxReplans: 2 }, replan: { merge } };
      const told = { areStepsCounted: false };
      const everyShape = planOf(policy, () => ({ ...told, areListsEnough: false }));
      expectToStandFor(
        planOf(policy, () => told),
        everyShape,
        false,
      );
    },
  );
});

describe('a step with one dependency', () => {
  const anyLinks = ({ settings }: Repertoire): Partial<Repertoire> => ({
    shapes: new PlanShapes(settings, settings.policy.limits.maxSteps, {
      isBare: true,
      waitsFor: 'all',
    }),
  });

  it.each<[string, PolicyOverrides]>([
    ['three at once', { limits: { maxSteps: 3, maxParallel: 3 } }],
    [
      'behind a failure they run',
      { limits: { maxSteps: 3, maxParallel: 2 }, failure: { onDependencyFailure: 'run' } },
    ],
    [
      'a failure before them ends the run',
      { limits: { maxSteps: 3, maxParallel: 2 }, failure: { onDependencyFailure: 'stop' } },
    ],
    [
      'two plans that add up',
      { limits: { maxSteps: 2, maxReplans: 1, maxParallel: 2 }, replan: { merge: 'append' } },
    ],
  ])('represents a step with several: %s', (_, policy) => {
    expectToStandFor(planOf(policy), planOf(policy, anyLinks), true);
  });
});

import type { ChartNode } from '../../../kernel/kernel.types.js';
import { childrenOf } from '../../../kernel/xstate-shapes.js';
import type { AgentCallContext } from '../../../machines/agent-call/chart.js';
import type { BreakerContext } from '../../../machines/breaker/chart.js';
import type { OrchestratorContext } from '../../../machines/orchestrator/context.js';
import type { StepContext } from '../../../machines/step/context.js';
import type { Frame } from '../model.types.js';
import { TICK, timerName } from '../timer-name.js';
import { agentCallText } from './agent-call-text.js';
import { breakerText } from './breaker-text.js';
import type { LiveStep } from './live-steps.js';
import { isExecutionOver, liveSteps, waitingSegments } from './live-steps.js';
import type { Sight } from './orchestrator-text.js';
import { orchestratorText, sightIn } from './orchestrator-text.js';
import { stepText } from './step-text.js';
import { countText } from './step-count.js';
import { valueText } from './value-text.js';

/*
 * A whole run as its guards can see it: active states, counters that are compared with limits, waiting and running
 * steps, armed timers. Texts, keys, ids, slot numbers and generations are left out.
 */

export const runText = (frame: Frame): string =>
  chartText({ frame, timers: timersByAddress(frame), areStepsCounted: false }, '');

/** The same where waiting steps are all alike: only their number is visible, separately from everything else. */
export const countedRunText = (frame: Frame): string =>
  chartText({ frame, timers: timersByAddress(frame), areStepsCounted: true }, '');

/** A frame, and how it is shown. */
interface View {
  readonly frame: Frame;
  readonly timers: ReadonlyMap<string, readonly string[]>;
  readonly areStepsCounted: boolean;
}

const chartText = (view: View, address: string): string => {
  const { state } = view.frame;
  const node = state.nodes.get(address);
  if (node === undefined) return state.calls.has(address) ? '?' : '';
  const value = valueText(node.snapshot);
  const armed = (view.timers.get(address) ?? []).join('+');
  return `${value}{${armed}}(${contextText(view, address, node, value)})`;
};

const contextText = (view: View, address: string, node: ChartNode, value: string): string => {
  const context: unknown = node.snapshot.context;
  switch (node.chart) {
    case 'orchestrator':
      return planText(view, address, node, value);
    case 'step':
      return `${stepText(context as StepContext)}${childrenText(view, address, node)}`;
    case 'agentCall':
      return `${agentCallText(context as AgentCallContext)}${childrenText(view, address, node)}`;
    // A question does not change until it is answered.
    case 'approval':
      return '';
    case 'breaker':
      return breakerText(context as BreakerContext);
    default:
      return `${environmentText(context)}${childrenText(view, address, node)}`;
  }
};

/** The stand-in for the charts above records requests. */
const environmentText = (context: unknown): string =>
  (context as { readonly heard: readonly { readonly type: string }[] }).heard
    .map(({ type }) => type)
    .join('+');

const childrenText = (view: View, address: string, node: ChartNode): string =>
  Object.keys(childrenOf(node.snapshot))
    .map((id) => chartText(view, `${address}/${id}`))
    .join('');

/** A step is identified by its position in the plan, not by its slot. */
const planText = (view: View, address: string, node: ChartNode, value: string): string => {
  const context = node.snapshot.context as OrchestratorContext;
  const inSlot = (index: number): string =>
    chartText(view, `${address}/slot-${context.slots.indexOf(index)}`);
  const others = Object.keys(childrenOf(node.snapshot))
    .filter((id) => !id.startsWith('slot-'))
    .map((id) => `${id}:${chartText(view, `${address}/${id}`)}`);
  const sight = sightIn(value, context, view.areStepsCounted);
  const steps = stepsText(context, sight, inSlot);
  return `${orchestratorText(context, sight)};${steps};${others.join('')}`;
};

/** Where nothing starts, at most the number of waiting steps is visible. */
const stepsText = (
  context: OrchestratorContext,
  { rest, areStepsCounted }: Sight,
  inSlot: (index: number) => string,
): string => {
  const { pending } = context.progress.counts;
  const steps = liveSteps(context);
  const running = steps.filter(({ isRunning }) => isRunning);
  if (rest !== 'all') return stepTexts(running.map(alone), inSlot);
  if (areStepsCounted) return `${stepTexts(running.map(alone), inSlot)}${countText(pending)}`;
  return isExecutionOver(context) ? String(pending) : stepTexts(steps, inSlot);
};

const alone = (step: LiveStep): LiveStep => ({ ...step, isAwaited: false, text: step.kind });

/** Running steps without dependents are all alike: their order does not matter. */
const stepTexts = (steps: readonly LiveStep[], inSlot: (index: number) => string): string => {
  const running = steps.filter(({ isRunning }) => isRunning);
  const textOf = ({ text, index }: LiveStep): string => `${text}=${inSlot(index)}`;
  const alike = running.filter(({ isAwaited }) => !isAwaited).map(textOf);
  const awaited = running.filter(({ isAwaited }) => isAwaited).map(textOf);
  const waiting = waitingSegments(steps).map((segment) => segment.map(waitingText).join(' '));
  return `${alike.sort().join(' ')}|${awaited.join(' ')}|${waiting.join(' ')}`;
};

const waitingText = ({ text, isAwaited }: LiveStep): string => `${text}${isAwaited ? '!' : ''}`;

/** The timers by their purpose. Only the timer itself knows how many tenths of its time a step has left. */
const timersByAddress = ({ state }: Frame): View['timers'] => {
  const timers = new Map<string, string[]>();
  state.timers.forEach(({ address }, key) => {
    const name = timerName(key, address);
    if (name === TICK) return;
    const list = timers.get(address) ?? [];
    list.push(name);
    timers.set(address, list.sort());
  });
  return timers;
};

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
 * A whole run as far as its guards can see it: which states are active, counters that are compared with limits, what
 * waits and runs, which timers are armed. Texts, keys, ids, slot numbers and generations are left out.
 */

export const runText = (frame: Frame): string =>
  chartText({ frame, timers: timersByAddress(frame), areStepsCounted: false }, '');

/** The same where steps that wait are all alike: of these only the number is seen, apart from everything else. */
export const countedRunText = (frame: Frame): string =>
  chartText({ frame, timers: timersByAddress(frame), areStepsCounted: true }, '');

/** What is looked at, and how. */
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
    // Nothing about a question changes until it is answered.
    case 'approval':
      return '';
    case 'breaker':
      return breakerText(context as BreakerContext);
    default:
      return `${environmentText(context)}${childrenText(view, address, node)}`;
  }
};

/** The stand-in for the charts above writes down what it was asked. */
const environmentText = (context: unknown): string =>
  (context as { readonly heard: readonly { readonly type: string }[] }).heard
    .map(({ type }) => type)
    .join('+');

const childrenText = (view: View, address: string, node: ChartNode): string =>
  Object.keys(childrenOf(node.snapshot))
    .map((id) => chartText(view, `${address}/${id}`))
    .join('');

/** A step is known by its place in the plan, not by its slot. */
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

/** Where nothing starts any more, steps that wait are seen at most by their number. */
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

/** Steps that run and that nothing waits for are all alike: their order is nobody's business. */
const stepTexts = (steps: readonly LiveStep[], inSlot: (index: number) => string): string => {
  const running = steps.filter(({ isRunning }) => isRunning);
  const textOf = ({ text, index }: LiveStep): string => `${text}=${inSlot(index)}`;
  const alike = running.filter(({ isAwaited }) => !isAwaited).map(textOf);
  const awaited = running.filter(({ isAwaited }) => isAwaited).map(textOf);
  const waiting = waitingSegments(steps).map((segment) => segment.map(waitingText).join(' '));
  return `${alike.sort().join(' ')}|${awaited.join(' ')}|${waiting.join(' ')}`;
};

const waitingText = ({ text, isAwaited }: LiveStep): string => `${text}${isAwaited ? '!' : ''}`;

/** The timers by what they are for. How many tenths of its time a step has left is seen by nobody but the timer itself. */
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

import type { ChartNode } from '../../../kernel/kernel.types.js';
import { childrenOf } from '../../../kernel/xstate-shapes.js';
import type { AgentCallContext } from '../../../machines/agent-call.js';
import type { BreakerContext } from '../../../machines/breaker.js';
import type { OrchestratorContext } from '../../../machines/orchestrator.types.js';
import type { StepContext } from '../../../machines/step.types.js';
import type { Frame } from '../model.types.js';
import { TICK, timerName } from '../timer-name.js';
import { agentCallText } from './agent-call-text.js';
import { breakerText } from './breaker-text.js';
import type { LiveStep } from './live-steps.js';
import { isExecutionOver, liveSteps, waitingSegments } from './live-steps.js';
import type { Sight } from './orchestrator-text.js';
import { orchestratorText, sightIn } from './orchestrator-text.js';
import { stepText } from './step-text.js';
import { valueText } from './value-text.js';

/*
 * A whole run as far as its guards can see it: which states are active, counters that are compared with limits, what
 * waits and runs, which timers are armed. Texts, keys, ids, slot numbers and generations are left out.
 */

export const runText = (frame: Frame): string => {
  const timers = timersByAddress(frame);
  return chartText(frame, timers, '');
};

type Timers = ReadonlyMap<string, readonly string[]>;

const chartText = (frame: Frame, timers: Timers, address: string): string => {
  const node = frame.state.nodes.get(address);
  if (node === undefined) return frame.state.calls.has(address) ? '?' : '';
  const value = valueText(node.snapshot);
  const armed = (timers.get(address) ?? []).join('+');
  return `${value}{${armed}}(${contextText(frame, timers, address, node, value)})`;
};

const contextText = (
  frame: Frame,
  timers: Timers,
  address: string,
  node: ChartNode,
  value: string,
): string => {
  const context: unknown = node.snapshot.context;
  switch (node.chart) {
    case 'orchestrator':
      return planText(frame, timers, address, node, value);
    case 'step':
      return `${stepText(context as StepContext)}${childrenText(frame, timers, address, node)}`;
    case 'agentCall':
      return `${agentCallText(context as AgentCallContext)}${childrenText(frame, timers, address, node)}`;
    case 'breaker':
      return breakerText(context as BreakerContext);
    default:
      return `${environmentText(context)}${childrenText(frame, timers, address, node)}`;
  }
};

/** The stand-in for the charts above writes down what it was asked. */
const environmentText = (context: unknown): string =>
  (context as { readonly heard: readonly { readonly type: string }[] }).heard
    .map(({ type }) => type)
    .join('+');

const childrenText = (frame: Frame, timers: Timers, address: string, node: ChartNode): string =>
  Object.keys(childrenOf(node.snapshot))
    .map((id) => chartText(frame, timers, `${address}/${id}`))
    .join('');

/** A step is known by its place in the plan, not by its slot. */
const planText = (
  frame: Frame,
  timers: Timers,
  address: string,
  node: ChartNode,
  value: string,
): string => {
  const context = node.snapshot.context as OrchestratorContext;
  const inSlot = (index: number): string =>
    chartText(frame, timers, `${address}/slot-${context.slots.indexOf(index)}`);
  const others = Object.keys(childrenOf(node.snapshot))
    .filter((id) => !id.startsWith('slot-'))
    .map((id) => `${id}:${chartText(frame, timers, `${address}/${id}`)}`);
  const sight = sightIn(value, context);
  const steps = stepsText(context, sight, inSlot);
  return `${orchestratorText(context, sight)};${steps};${others.join('')}`;
};

/** Where nothing starts any more, steps that wait are seen at most by their number. */
const stepsText = (
  context: OrchestratorContext,
  { rest }: Sight,
  inSlot: (index: number) => string,
): string => {
  const { counts } = context.progress;
  const steps = liveSteps(context);
  if (rest !== 'all')
    return stepTexts(steps.filter(({ isRunning }) => isRunning).map(alone), inSlot);
  return isExecutionOver(context) ? String(counts.pending) : stepTexts(steps, inSlot);
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
const timersByAddress = ({ state }: Frame): Timers => {
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

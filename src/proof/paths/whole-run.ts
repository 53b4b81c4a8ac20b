import type { AnyMachineSnapshot } from 'xstate';

import type { CallInput } from '../../model/calls.js';
import { chartsOf } from '../../orchestrator/charts.js';
import type { AgentCallContext } from '../../machines/agent-call/chart.js';
import type { OrchestratorContext } from '../../machines/orchestrator/context.js';
import type { Command } from '../../model/commands.js';
import type { Settings } from '../../model/settings.js';
import type { StepContext } from '../../machines/step/context.js';
import { itemsOf } from '../../plan/chunked-list.js';
import type { Act } from './acts.js';
import { actsOf } from './acts.js';
import type { Explored } from './explore.js';
import { explore } from './explore.js';
import type { Explorer } from './graph.js';
import type { Happening, Model, ModelState, OpenCall } from './model.js';
import { createModel } from './model.js';

/* A whole run, in which every callee, every person and the clock may do anything allowed. */

export const PATH_INPUT = { goal: 'The goal of the path', runId: 'path' } as const;

export interface WholeRun {
  readonly settings: Settings;
  /** The maximum number of faults on one path. */
  readonly maxFaults: number;
  /** Filters out impossible acts. */
  readonly isPossible?: (act: Act, input: CallInput) => boolean;
}

const wholeRunModel = (settings: Settings): Model =>
  createModel({
    charts: { root: 'orchestrator', machines: chartsOf(settings) },
    input: PATH_INPUT,
  });

export const exploreWholeRun = (run: WholeRun, explorer: Explorer, limit: number): Explored =>
  explore(
    wholeRunModel(run.settings),
    { happenings: (state) => happeningsIn(state, run), keyOf, limit },
    explorer,
  );

/* The events that can happen. */

const happeningsIn = (state: ModelState, run: WholeRun): Happening[] => {
  const all = [
    ...state.calls.flatMap((call) => callHappenings(call, run)),
    ...lateAnswer(state),
    ...timePasses(state),
    ...commandsIn(state),
  ];
  return faultsOn(state) < run.maxFaults ? all : all.filter(({ isFault }) => isFault !== true);
};

const callHappenings = (
  { address, input }: OpenCall,
  { settings, isPossible = () => true }: WholeRun,
): Happening[] =>
  actsOf(input as CallInput, settings)
    .filter((act) => isPossible(act, input as CallInput))
    .map((act) => ({
      type: 'answered',
      says: act.says,
      isFault: act.isFault,
      address,
      output: act.outcome,
      act,
    }));

const lateAnswer = ({ abandoned }: ModelState): Happening[] => {
  if (abandoned?.actor !== 'performCall') return [];
  const { address, generation, input } = abandoned;
  const { key, request } = input as CallInput;
  const says = `${request.agent} answers too late`;
  return [{ type: 'late', says, isFault: true, address, generation, key }];
};

/** Waiting counts as planned where nothing else can happen. */
const timePasses = ({ timers, calls, kernel }: ModelState): Happening[] => {
  const [next] = timers;
  if (next === undefined) return [];
  const isFault = calls.length > 0 || rootContext(kernel)?.questions.length !== 0;
  return [{ type: 'elapsed', says: timeSentence(next.timer), isFault }];
};

/** '/slot-0/agentCall#xstate.after.attemptTimeout.agentCall.calling' */
const timeSentence = (timer: string): string => {
  const [address = '', name = ''] = timer.split('#');
  const delay = name.replace(/^xstate\.after\.(\w+)\..*$/, '$1');
  const words = delay.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const place = address === '' ? '' : ` of ${address.slice(1)}`;
  return `the ${words}${place} passes`;
};

const commandsIn = (state: ModelState): Happening[] => {
  const context = rootContext(state.kernel);
  if (context === undefined) return [];
  return [...answersTo(context), ...controlsIn(context)];
};

const command = (says: string, event: Command, isFault: boolean): Happening => ({
  type: 'told',
  says,
  event,
  isFault,
});

const answersTo = ({ questions }: OrchestratorContext): Happening[] => {
  const [open] = questions;
  if (open === undefined) return [];
  const { requestId } = open;
  const about = requestId.split(':')[0] ?? '';
  return [
    command(
      `a person says yes to ${about}`,
      { type: 'approval.grant', requestId, answer: 'Approved' },
      false,
    ),
    command(
      `a person says no to ${about}`,
      { type: 'approval.reject', requestId, reason: 'Rejected' },
      true,
    ),
  ];
};

const controlsIn = (context: OrchestratorContext): Happening[] => {
  if (context.ending !== null) return [];
  const open = itemsOf(context.progress.states).findIndex(
    ({ status }) => status === 'pending' || status === 'running',
  );
  const stepId = context.progress.steps[open]?.id;
  return [
    context.isPaused
      ? command('a person resumes the run', { type: 'run.unpause' }, false)
      : command('a person pauses the run', { type: 'run.pause' }, true),
    command('a person aborts the run', { type: 'run.abort', reason: 'Enough' }, true),
    ...(stepId === undefined
      ? []
      : [command(`a person skips ${stepId}`, { type: 'plan.skip', stepIds: [stepId] }, true)]),
  ];
};

/* The parts of a state that identify it. */

const rootContext = ({ nodes }: ModelState['kernel']): OrchestratorContext | undefined =>
  nodes.get('')?.snapshot.context as OrchestratorContext | undefined;

const faultCounts = new WeakMap<ModelState, number>();

const faultsOn = (state: ModelState): number => {
  const known = faultCounts.get(state);
  if (known !== undefined) return known;
  const { via } = state;
  const count = via === null ? 0 : faultsOn(via.from) + (via.happening.isFault === true ? 1 : 0);
  faultCounts.set(state, count);
  return count;
};

const keyOf = (state: ModelState): string =>
  JSON.stringify([
    state.step.output ?? null,
    faultsOn(state),
    [...state.kernel.nodes].map(([address, { chart, snapshot }]): unknown => [
      address,
      snapshot.value,
      countsOf(chart, snapshot),
    ]),
    state.timers.map(({ timer }) => timer),
  ]);

/** Counters and flags that guards read, without texts and keys. */
const countsOf = (chart: string, { context }: AnyMachineSnapshot): unknown => {
  switch (chart) {
    case 'orchestrator': {
      const { progress, replans, plannerCalls, isPaused, isExecutionClosed, requests } =
        context as OrchestratorContext;
      const statuses = itemsOf(progress.states).map(({ status }) => status);
      return [statuses, replans, plannerCalls, isPaused, isExecutionClosed, requests.length];
    }
    case 'step': {
      const { attempt, fixCycles, agentQuestions, failure } = context as StepContext;
      return [attempt, fixCycles, agentQuestions, failure?.code];
    }
    case 'agentCall': {
      const { tries, isFallback, isWindingDown, isPaused } = context as AgentCallContext;
      return [tries, isFallback, isWindingDown, isPaused];
    }
    default:
      return context;
  }
};

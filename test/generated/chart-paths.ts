import type { AnyStateMachine } from 'xstate';

import { agentCallMachine } from '../../src/machines/agent-call/chart.js';
import { approvalMachine } from '../../src/machines/approval/chart.js';
import { breakerMachine } from '../../src/machines/breaker/chart.js';
import { createOrchestratorMachine } from '../../src/machines/orchestrator/chart.js';
import type { Settings } from '../../src/model/settings.js';
import { stepMachine } from '../../src/machines/step/chart.js';
import { chartElementsOf } from '../../src/proof/paths/chart-elements.js';
import type { Explored } from '../../src/proof/paths/explore.js';
import type { Explorer } from '../../src/proof/paths/graph.js';
import type { Sightings } from '../../src/proof/paths/observe.js';
import { agentCallConfigurations } from './agent-call.js';
import { approvalConfigurations } from './approval.js';
import { breakerConfigurations } from './breaker.js';
import type { Configuration } from './configuration.js';
import { exploreConfiguration } from './configuration.js';
import { exploreWithGraph } from './graph.js';
import { orchestratorConfigurations } from './orchestrator-configurations.js';
import { chartsAround } from './parent.js';
import type { PathFailure } from './replay.js';
import { LiveSubject, replayByKernel } from './replay.js';
import { settingsOf } from './settings.js';
import { stepConfigurations } from './step.js';

/** The charts to explore or to replay paths on; a set with a mistake in it is tested in the same way. */
export interface Charts {
  readonly approval: AnyStateMachine;
  readonly breaker: AnyStateMachine;
  readonly agentCall: AnyStateMachine;
  readonly step: AnyStateMachine;
  readonly orchestrator: (settings: Settings) => AnyStateMachine;
}

export type ChartName = keyof Charts;

export const ourCharts: Charts = {
  approval: approvalMachine,
  breaker: breakerMachine,
  agentCall: agentCallMachine,
  step: stepMachine,
  orchestrator: createOrchestratorMachine,
};

/** The paths of one chart in one of its configurations. */
export interface ChartPaths {
  readonly chart: ChartName;
  readonly configuration: Configuration;
  readonly explored: Explored;
}

const CONFIGURATIONS: Readonly<Record<ChartName, readonly Configuration[]>> = {
  approval: approvalConfigurations,
  breaker: breakerConfigurations,
  agentCall: agentCallConfigurations,
  step: stepConfigurations,
  orchestrator: orchestratorConfigurations,
};

/** The chart of a configuration. */
export const machineFor = (
  charts: Charts,
  chart: ChartName,
  { settings }: Configuration,
): AnyStateMachine =>
  chart === 'orchestrator' ? charts.orchestrator(settings ?? settingsOf()) : charts[chart];

/** Explores one chart in all of its configurations. */
export const explorePathsOf = (
  chart: ChartName,
  charts: Charts = ourCharts,
  explorer: Explorer = exploreWithGraph,
): ChartPaths[] =>
  CONFIGURATIONS[chart].map((configuration) => ({
    chart,
    configuration,
    explored: exploreConfiguration(
      machineFor(charts, chart, configuration),
      configuration,
      explorer,
    ),
  }));

export interface Replayed {
  readonly failures: readonly PathFailure[];
  /** The observed behaviour of XState's interpreter. */
  readonly sightings: Sightings;
}

/** Replays the paths with the given charts: by the kernel, and by XState's interpreter. */
export const replayPaths = async (
  { chart, configuration, explored }: ChartPaths,
  charts: Charts = ourCharts,
): Promise<Replayed> => {
  const machine = machineFor(charts, chart, configuration);
  const input = { input: configuration.input };
  const failures = replayByKernel(chartsAround(machine), input, explored);
  const live = new LiveSubject(machine, input);
  for (const path of explored.paths) failures.push(...(await live.replay(path)));
  return { failures, sightings: live.sightings };
};

/** States and transitions that no path reaches. */
export const uncovered = (
  chart: ChartName,
  seen: Sightings,
): { readonly states: string[]; readonly transitions: string[] } => {
  const { states, transitions } = elementsOfChart(chart);
  return {
    states: states.filter((state) => !seen.states.has(state)),
    transitions: transitions.filter((transition) => !seen.transitions.has(transition)),
  };
};

export const elementsOfChart = (chart: ChartName): ReturnType<typeof chartElementsOf> =>
  chartElementsOf(
    chart === 'orchestrator' ? ourCharts.orchestrator(settingsOf()) : ourCharts[chart],
  );

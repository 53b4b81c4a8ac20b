import { readFile } from 'node:fs/promises';

import { chartsOf } from '../orchestrator/charts.js';
import type { Policy } from '../model/policy.js';
import { chartElementsOf } from '../proof/paths/chart-elements.js';
import { settingsOf } from '../proof/prove/settings.js';
import type { ChartPicture } from './page/chart-section.js';

/** The pictures in the package; large charts have an overview only. */
const FILES: Readonly<Record<string, string>> = {
  orchestrator: 'orchestrator.states.svg',
  step: 'step.overview.svg',
  agentCall: 'agent-call.svg',
  approval: 'approval.svg',
  breaker: 'breaker.svg',
};

/** The charts by name, each with its picture and all of its transitions. */
export const chartPictures = async (policy: Policy): Promise<Map<string, ChartPicture>> => {
  const machines = chartsOf(settingsOf(policy, { agents: ['agent'] }));
  const entries = Object.entries(machines).map(async ([name, machine]) => {
    const url = new URL(`../../visualizations/${FILES[name] ?? ''}`, import.meta.url);
    const svg = withoutProlog(await readFile(url, 'utf8'));
    return [name, { svg, transitions: chartElementsOf(machine).transitions }] as const;
  });
  return new Map(await Promise.all(entries));
};

const withoutProlog = (svg: string): string => svg.slice(Math.max(0, svg.indexOf('<svg')));

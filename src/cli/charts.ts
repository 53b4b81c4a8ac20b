import { readFile } from 'node:fs/promises';

import { chartsOf } from '../orchestrator/charts.js';
import type { Policy } from '../model/policy.js';
import { censusOf } from '../proof/paths/chart-elements.js';
import { settingsOf } from '../proof/prove/settings.js';
import type { ChartPicture } from './page/chart-section.js';

/** The pictures that come with the package; of the large charts those with the names only. */
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
    return [name, { svg, transitions: censusOf(machine).transitions }] as const;
  });
  return new Map(await Promise.all(entries));
};

const withoutProlog = (svg: string): string => svg.slice(Math.max(0, svg.indexOf('<svg')));

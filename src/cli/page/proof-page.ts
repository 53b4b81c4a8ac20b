import type { Policy } from '../../model/policy.js';
import { METRICS } from '../../proof/prove/metrics.js';
import type { Metric } from '../../proof/prove/metrics.js';
import type { Maximum, Proof } from '../../proof/prove/prove.types.js';
import { counted } from '../../proof/prove/counted.js';
import { durationText } from '../duration.js';
import { amountText, metricName } from '../quantities.js';
import type { ChartPicture } from './chart-section.js';
import { chartSection, figure } from './chart-section.js';
import { escaped, grouped } from './html.js';
import { STYLE } from './style.js';
import { wayList } from './ways.js';

/** The subject of a page. */
export interface ProvedSubject {
  readonly name: string;
  readonly policy: Policy;
  /** The team, in words. */
  readonly team: string;
}

/** One self-contained page: price tag, paths to the maxima, charts with their coverage, and the policy. */
export const proofPage = (
  { name, policy, team }: ProvedSubject,
  proof: Proof,
  charts: ReadonlyMap<string, ChartPicture>,
): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(name)}: ${verdictOf(proof)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(name)} <span class="verdict ${proof.isProved ? 'good' : 'bad'}">${verdictOf(proof)}</span></h1>
<dl class="facts">
<dt>Team</dt><dd>${escaped(team)}</dd>
<dt>Plans</dt><dd>of at most ${counted(proof.planSteps, ['step', 'steps'])}</dd>
<dt>Choices</dt><dd>every answer of every agent and person, and every timer</dd>
<dt>Rules</dt><dd>${escaped(proof.rules.join(', '))}</dd>
</dl>
${proof.maxima === null ? refutation(proof) : priceTag(proof.maxima)}
${proof.isProved ? chartsUnderPolicy(proof, charts) : plainCharts(charts)}
<h2>What was explored</h2>
${explored(proof)}
<h2>The policy</h2>
<details><summary>All options</summary><pre>${escaped(JSON.stringify(policy, null, 2))}</pre></details>
</main>
</body>
</html>
`;

const verdictOf = ({ isProved }: Proof): string => (isProved ? 'proved' : 'refuted');

const chartsUnderPolicy = (
  proof: Proof,
  charts: ReadonlyMap<string, ChartPicture>,
): string => `<h2>The charts under this policy</h2>
<p>Counted from the charts themselves. What is faded <span class="key"></span> is never reached, whatever agents and people answer.</p>
${[...charts].map(([chart, picture]) => chartSection(proof, chart, picture)).join('\n')}`;

/** A search that stopped at a broken rule cannot tell which states are never reached. */
const plainCharts = (charts: ReadonlyMap<string, ChartPicture>): string => `<h2>The charts</h2>
${[...charts].map(([chart, { svg }]) => `<details><summary>${escaped(chart)}</summary>${figure(chart, svg)}</details>`).join('\n')}`;

const priceTag = (maxima: NonNullable<Proof['maxima']>): string => {
  const rows = METRICS.map((metric) => priceRow(metric, maxima[metric]));
  const ways = METRICS.filter((metric) => maxima[metric].value > 0).map(
    (metric) =>
      `<details><summary>${amountText(metric, maxima[metric].value, grouped)}</summary><div id="way-${metric}">${wayList(maxima[metric].witness.sentences)}</div></details>`,
  );
  return `<h2>The most a run can cost</h2>
<div class="table"><table><thead><tr><th></th><th>proved</th><th>bounds()</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>
<h2>Paths to these maxima</h2>
<p>A number behind a sentence is what it adds. What a step or a call does is told below it, once.</p>
${ways.join('\n')}`;
};

const priceRow = (metric: Metric, { value, bound }: Maximum): string => {
  const name = metricName(metric);
  const label = value > 0 ? `<a href="#way-${metric}">${name}</a>` : name;
  return `<tr><td>${label}</td><td class="most">${cell(metric, value)}</td><td>${cell(metric, bound)}</td></tr>`;
};

const cell = (metric: Metric, value: number): string =>
  metric === 'wallTimeMs'
    ? `${grouped(value)}<small>${durationText(value)}</small>`
    : grouped(value);

const refutation = ({ counterexample }: Proof): string =>
  counterexample === null
    ? ''
    : `<h2>What is broken</h2>
<p class="broken"><b>${escaped(counterexample.rule)}</b>: ${escaped(counterexample.message)}</p>
<p>How it comes about, in ${escaped(counterexample.witness.system)}:</p>
${wayList(counterexample.witness.sentences)}
<h2>As a test</h2>
<p>It fails while this stands. Copy it into a file of your tests.</p>
<pre>${escaped(counterexample.test)}</pre>`;

const explored = (proof: Proof): string => {
  const rows = proof.explored.map(
    ({ system, nodes, edges, highestRank }) =>
      `<tr><td>${escaped(system)}</td><td>${grouped(nodes)}</td><td>${grouped(edges)}</td><td>${grouped(highestRank)}</td></tr>`,
  );
  return `<p>${proof.method === 'wholeRun' ? 'All charts together.' : 'Chart by chart, each against what its children were proved to do.'}</p>
<div class="table"><table><thead><tr><th></th><th>states</th><th>moves</th><th>highest rank</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
};

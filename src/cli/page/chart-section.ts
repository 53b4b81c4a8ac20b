import { counted } from '../../proof/prove/counted.js';
import type { ChartCoverage } from '../../proof/paths/paths.types.js';
import type { Proof } from '../../proof/prove/prove.types.js';
import type { Untaken } from '../coverage.js';
import { partsOf, untakenIn } from '../coverage.js';
import { escaped } from './html.js';
import { markedPicture } from './marked-picture.js';

/** A chart's picture and transitions, besides its coverage. */
export interface ChartPicture {
  readonly svg: string;
  /** All of its transitions, by the names of `chartElementsOf`. */
  readonly transitions: readonly string[];
}

/** A chart under a policy: how much of it is used, which parts never are, and a picture of both. */
export const chartSection = (
  proof: Proof,
  chart: string,
  { svg, transitions }: ChartPicture,
): string => {
  const coverage = proof.coverage.find((each) => each.chart === chart);
  if (coverage === undefined) {
    return `<section class="chart-section"><h3>${escaped(chart)}</h3>
<p>What a breaker says is a choice in this proof, so its chart was not looked at. With <code>--whole-run</code> it is.</p></section>`;
  }
  return `<section class="chart-section"><h3>${escaped(chart)}</h3>
<div class="meters">${meter('states', coverage.coveredStates, coverage.states)}
${meter('transitions', coverage.coveredTransitions, coverage.transitions)}</div>
${missingStates(coverage)}
${untakenIn(proof, coverage).map(untakenList).join('\n')}
${figure(chart, markedPicture(svg, coverage, transitions))}</section>`;
};

/** A picture in its own scrollable frame. */
export const figure = (chart: string, svg: string): string =>
  `<figure tabindex="0" aria-label="The chart ${escaped(chart)}">${withOwnIds(svg, chart)}</figure>`;

/** Makes ids unique: several pictures are on one page. */
const withOwnIds = (svg: string, chart: string): string =>
  svg
    .replace('aria-labelledby="title desc"', `aria-labelledby="${chart}-title ${chart}-desc"`)
    .replace('<title id="title">', `<title id="${chart}-title">`)
    .replace('<desc id="desc">', `<desc id="${chart}-desc">`);

const meter = (what: string, seen: number, all: number): string =>
  `<p><meter min="0" max="${all}" value="${seen}"></meter> ${seen} of ${all} ${what}</p>`;

const missingStates = ({ chart, missingStates: missing, coveredStates }: ChartCoverage): string => {
  if (missing.length === 0) return '<p>Every state is reached.</p>';
  if (coveredStates === 0) return '<p>This policy never starts it.</p>';
  const names = missing.map((id) => `<li><code>${escaped(shortName(id, chart))}</code></li>`);
  return `<p>Never reached under this policy:</p><ul class="chips">${names.join('')}</ul>`;
};

const untakenList = ({ reason, transitions }: Untaken): string => {
  const count = `${counted(transitions.length, ['transition', 'transitions'])} not taken`;
  return `<details><summary>${count}: ${escaped(reason)}</summary>
<ul class="transitions">${transitions.map(transitionItem).join('')}</ul></details>`;
};

const transitionItem = (name: string): string => {
  const { source, event, condition, targets } = partsOf(name);
  const chart = source.split('.')[0] ?? '';
  const guard = condition === '' ? '' : ` <span class="guard">[${escaped(condition)}]</span>`;
  const goal =
    targets.length === 0 ? 'stays' : targets.map((id) => shortName(id, chart)).join(', ');
  return `<li><b>${escaped(shortName(source, chart))}</b> ${escaped(event)}${guard} <span class="goal">→ ${escaped(goal)}</span></li>`;
};

/** The id of a state without the name of its chart. */
const shortName = (id: string, chart: string): string =>
  id.startsWith(`${chart}.`) ? id.slice(chart.length + 1) : id;

import type { Policy } from '../policy/types.js';
import { METRICS } from '../testing/prove/metrics.js';
import type { Proof } from '../testing/prove/prove.types.js';
import { METRIC_NAMES } from './price-tag.js';

export interface ChartPicture {
  readonly name: string;
  readonly svg: string;
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --line: #d0d7de; --good: #1a7f37; --bad: #b42318; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --paper: #0d1117; --line: #30363d; --good: #3fb950; --bad: #ff7b72; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 span.good { color: var(--good); } h1 span.bad { color: var(--bad); }
table { border-collapse: collapse; } th, td { border-bottom: 1px solid var(--line); padding: .3rem .8rem; text-align: right; font-variant-numeric: tabular-nums; }
th:first-child, td:first-child { text-align: left; }
details { border: 1px solid var(--line); border-radius: 6px; padding: .5rem 1rem; margin: .5rem 0; }
summary { cursor: pointer; } li { white-space: pre-wrap; } pre { overflow-x: auto; border: 1px solid var(--line); padding: 1rem; }
figure { margin: 1rem 0; overflow-x: auto; border: 1px solid var(--line); } figure svg { max-width: 100%; height: auto; }
`;

/** One page that needs nothing else: price tag, ways, what was explored, and the charts. */
export const proofPage = (
  subject: string,
  policy: Policy,
  proof: Proof,
  charts: readonly ChartPicture[],
): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(subject)}: ${verdictOf(proof)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escaped(subject)}: <span class="${proof.isProved ? 'good' : 'bad'}">${verdictOf(proof)}</span></h1>
<p>Every answer of every agent and person and every timer, with plans of at most ${proof.planSteps} steps.
Rules: ${escaped(proof.rules.join(', '))}.</p>
${proof.maxima === null ? refutation(proof) : priceTag(proof)}
<h2>What was explored</h2>
${explored(proof)}
<h2>The charts</h2>
${charts.map(({ name, svg }) => `<details><summary>${escaped(name)}</summary><figure>${svg}</figure></details>`).join('\n')}
<h2>The policy</h2>
<details><summary>All options</summary><pre>${escaped(JSON.stringify(policy, null, 2))}</pre></details>
</body>
</html>
`;

const verdictOf = ({ isProved }: Proof): string => (isProved ? 'proved' : 'refuted');

const priceTag = ({ maxima }: Proof): string => {
  if (maxima === null) return '';
  const rows = METRICS.map(
    (metric) =>
      `<tr><td>${METRIC_NAMES[metric]}</td><td>${maxima[metric].value}</td><td>${maxima[metric].bound}</td></tr>`,
  );
  const ways = METRICS.filter((metric) => maxima[metric].value > 0).map(
    (metric) =>
      `<details><summary>How ${METRIC_NAMES[metric]} come to ${maxima[metric].value}</summary>${sentences(maxima[metric].witness.sentences)}</details>`,
  );
  return `<h2>The most a run can come to</h2>
<table><thead><tr><th></th><th>proved</th><th>bounds()</th></tr></thead><tbody>${rows.join('')}</tbody></table>
<h2>How</h2>
${ways.join('\n')}`;
};

const refutation = ({ counterexample }: Proof): string =>
  counterexample === null
    ? ''
    : `<h2>${escaped(counterexample.rule)}: ${escaped(counterexample.message)}</h2>
${sentences(counterexample.witness.sentences)}
<h2>As a test</h2>
<pre>${escaped(counterexample.test)}</pre>`;

const explored = (proof: Proof): string => {
  const rows = proof.explored.map(
    ({ system, nodes, edges, highestRank }) =>
      `<tr><td>${escaped(system)}</td><td>${nodes}</td><td>${edges}</td><td>${highestRank}</td></tr>`,
  );
  return `<table><thead><tr><th></th><th>states</th><th>moves</th><th>highest rank</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
};

const sentences = (list: readonly string[]): string =>
  `<ol>${list.map((sentence) => `<li>${escaped(sentence)}</li>`).join('')}</ol>`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);

/** Light and dark mode, from phone to wide screen. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --paper: #fff; --panel: #f6f8fa; --line: #d0d7de; --good: #1a7f37; --bad: #b42318; --accent: #0b57d0; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9aa5b4; --paper: #0d1117; --panel: #161b22; --line: #30363d; --good: #3fb950; --bad: #ff7b72; --accent: #79b8ff; }
}
* { box-sizing: border-box; }
body { font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 72rem; margin: 0 auto; padding: 1.5rem clamp(.75rem, 3vw, 2rem) 4rem; overflow-wrap: anywhere; }
h1 { font-size: clamp(1.4rem, 5vw, 2.1rem); line-height: 1.2; margin: 0 0 .75rem; display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; }
h2 { font-size: 1.3rem; margin: 2.5rem 0 .75rem; padding-top: .5rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.1rem; margin: 0 0 .5rem; }
a { color: var(--accent); }
code, pre { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.verdict { font-size: .55em; font-weight: 700; letter-spacing: .06em; text-transform: uppercase; color: var(--paper); border-radius: 999px; padding: .35em .9em; }
.verdict.good { background: var(--good); } .verdict.bad { background: var(--bad); }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0; color: var(--soft); }
.facts dt { font-weight: 600; } .facts dd { margin: 0; color: var(--ink); }
.table { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; }
.table { max-width: 48rem; } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
th { background: var(--panel); color: var(--soft); font-size: .85rem; }
th, td { padding: .5rem .8rem; text-align: right; border-bottom: 1px solid var(--line); }
tr:last-child > td { border-bottom: 0; }
th:first-child, td:first-child { text-align: left; }
td.most { font-weight: 700; } td small { display: block; color: var(--soft); font-weight: 400; }
details { border: 1px solid var(--line); border-radius: 8px; margin: .5rem 0; background: var(--panel); }
summary { cursor: pointer; padding: .55rem .9rem; } details[open] > summary { border-bottom: 1px solid var(--line); }
details > ul, details > div > ol { margin: .75rem 0; padding-right: .9rem; }
ol, ul { padding-left: 1.9rem; } ol ol { padding-left: 1.4rem; border-left: 2px solid var(--line); margin: .2rem 0; color: var(--soft); font-size: .93rem; }
@media (max-width: 40rem) { ol, ul { padding-left: 1.5rem; } ol ol { padding-left: 1.15rem; } }
li { margin: .15rem 0; }
.cost { display: inline-block; font-size: .78rem; font-weight: 600; color: var(--accent); border: 1px solid currentColor; border-radius: 999px; padding: 0 .5em; line-height: 1.5; }
.broken { border-left: 4px solid var(--bad); background: var(--panel); border-radius: 0 8px 8px 0; padding: .6rem 1rem; margin: 0 0 1rem; }
pre { overflow-x: auto; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: 1rem; overflow-wrap: normal; }
details > pre, details > figure { border: 0; margin: 0; }
.chart-section { border: 1px solid var(--line); border-radius: 10px; padding: 1rem; margin: 1rem 0; }
.meters { display: flex; flex-wrap: wrap; gap: .25rem 2rem; } .meters p { margin: 0; display: flex; align-items: center; gap: .6rem; }
meter { width: 7rem; height: .9rem; }
.chips { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .35rem; margin: .25rem 0 .75rem; }
.chips li { border: 1px dashed var(--soft); border-radius: 6px; padding: 0 .5rem; margin: 0; }
.transitions { font-size: .92rem; } .guard, .goal { color: var(--soft); }
figure { margin: 1rem 0 0; overflow: auto; max-height: 85vh; border: 1px solid var(--line); border-radius: 8px; }
figure svg { display: block; width: 100%; min-width: 44rem; height: auto; }
figure .line[data-unreached], .wires[data-unreached] { opacity: .25; } figure [data-state][data-unreached] { opacity: .5; }
.frame[data-unreached] { stroke-dasharray: 3 4; } .state[data-unreached] .box { stroke-dasharray: 3 4; stroke-width: 2; }
.wires[data-unreached] [data-unreached] { opacity: 1; }
.key { display: inline-block; width: 1.6em; height: 1em; vertical-align: -.15em; border: 2px dashed currentColor; border-radius: 4px; opacity: .4; }
@media print { details:not([open]) > *:not(summary) { display: block; } figure { max-height: none; } }
`;

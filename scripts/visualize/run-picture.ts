// A moment of `npm start` as SVG: the live view of the demo, drawn from the recorded facts of a run.
import { readFileSync } from 'node:fs';

import { ActivityLog } from '../../examples/supervised-run/view/activity.js';
import { frame } from '../../examples/supervised-run/view/frame.js';
import { createStyle } from '../../examples/supervised-run/view/style.js';
import { widthOf } from '../../examples/supervised-run/view/text.js';
import type { Fact } from '../../src/index.js';
import { factSchema } from '../../src/model/facts.js';
import { createRecordBuilder } from '../../src/journal/record.js';
import { escaped, round } from './symbols.js';

const COLUMNS = 118;
const ROWS = 26;
const COLUMN_WIDTH = 8.4;
const LINE_HEIGHT = 19;
const MARGIN = 18;

/** Of the tones of the view, by the code that switches them on; 22 and 39 end them. */
const TONES: ReadonlyMap<string, string> = new Map([
  ['1', 'bold'],
  ['2', 'dim'],
  ['31', 'red'],
  ['33', 'yellow'],
  ['32', 'green'],
  ['36', 'cyan'],
]);

/** The moment when a step of the second plan is tested: with a fix, a replan and pending steps. */
const isShownMoment = (fact: Fact): boolean =>
  fact.type === 'agent.called' && fact.role === 'tester' && fact.stepId === 'fix-discount_rp1';

/** The picture of a run whose facts are in a file, one in a line. */
export const runPicture = (recordingFile: string): string => {
  const lines = linesOf(factsUntil(recordingFile, isShownMoment));
  const width = COLUMNS * COLUMN_WIDTH + 2 * MARGIN;
  const height = lines.length * LINE_HEIGHT + 2 * MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="screen" role="img" aria-labelledby="title desc" width="${round(width)}" height="${round(height)}" viewBox="0 0 ${round(width)} ${round(height)}">`,
    '<title id="title">A supervised run in the terminal</title>',
    '<desc id="desc">The plan with the state of every step, what is left of time, calls, replans and tokens, the level of escalation, and what happened last.</desc>',
    `<style>\n${STYLESHEET}\n</style>`,
    '<rect class="window" width="100%" height="100%" rx="10"/>',
    ...lines.flatMap((line, index) => drawLine(line, MARGIN + (index + 0.75) * LINE_HEIGHT)),
    '</svg>',
    '',
  ].join('\n');
};

const STYLESHEET = `.screen { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.window { fill: #0f141b; stroke: #39424f; }
text { fill: #dbe2ea; white-space: pre; }
.bold { font-weight: 700; fill: #ffffff; }
.dim { fill: #8b96a5; }
.red { fill: #f87171; }
.green { fill: #4ade80; }
.yellow { fill: #facc15; }
.cyan { fill: #22d3ee; }`;

const factsUntil = (file: string, isLast: (fact: Fact) => boolean): Fact[] => {
  const facts = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => factSchema.parse(JSON.parse(line)));
  const last = facts.findIndex(isLast);
  if (last < 0) throw new Error(`${file} has no such moment; see isShownMoment`);
  return facts.slice(0, last + 1);
};

const linesOf = (facts: readonly Fact[]): string[] => {
  const activity = new ActivityLog();
  const builder = createRecordBuilder();
  for (const fact of facts) {
    activity.add(fact);
    builder.add(fact);
  }
  return frame({
    record: builder.record(),
    activity,
    bounds: { replans: 2, agentCalls: 80, tokens: 1_000_000, limitMs: 600_000 },
    model: 'scripted model',
    notice: 'Ctrl-C ends the run',
    now: (facts.at(-1)?.at ?? 0) + 400,
    tick: 3,
    columns: COLUMNS,
    rows: ROWS,
    style: createStyle({ hasColor: true, hasUnicode: true }),
  });
};

/** Every piece of one tone with its position and length, so that columns stay aligned in any font. */
const drawLine = (line: string, y: number): string[] => {
  let [column, tone] = [0, ''];
  return line.split(/(\u001B\[\d+m)/).flatMap((part) => {
    const code = /^\u001B\[(\d+)m$/.exec(part)?.[1];
    if (code !== undefined) {
      tone = TONES.get(code) ?? '';
      return [];
    }
    const drawn = stretches(part).map(({ text, skipped }) =>
      drawText(text, tone, column + skipped, y),
    );
    column += widthOf(part);
    return drawn;
  });
};

/** Words with single spaces between them: a longer space separates columns and is kept. */
const stretches = (part: string): { readonly text: string; readonly skipped: number }[] =>
  [...part.matchAll(/\S+(?: \S+)*/g)].map(({ 0: text, index }) => ({
    text,
    skipped: widthOf(part.slice(0, index)),
  }));

const drawText = (text: string, tone: string, column: number, y: number): string => {
  const place = `x="${round(MARGIN + column * COLUMN_WIDTH)}" y="${round(y)}"`;
  const length = `textLength="${round(widthOf(text) * COLUMN_WIDTH)}" lengthAdjust="spacingAndGlyphs"`;
  return `<text${tone === '' ? '' : ` class="${tone}"`} ${place} ${length}>${escaped(text)}</text>`;
};

// The live view as a pure function from the state of a run to lines. It reads no clock and no terminal.
import type { RunRecord } from '../../../src/index.js';
import type { Activity } from './activity.js';
import type { Piece } from './layout.js';
import { amount, bar, cell, clockTime, duration, rendered } from './layout.js';
import type { StepRow } from './steps.js';
import { stepRow, stepTable } from './steps.js';
import type { StoryLine } from './story.js';
import type { Style } from './style.js';
import { oneLine, widthOf, wrapped } from './text.js';

/** The limits of a run. */
export interface FrameBounds {
  readonly replans: number;
  readonly agentCalls: number;
  /** Null when the policy has no such bound. */
  readonly tokens: number | null;
  readonly limitMs: number;
}

export interface FrameInput {
  readonly record: RunRecord;
  readonly activity: Activity;
  readonly bounds: FrameBounds;
  /** Names the model, or the script. */
  readonly model: string;
  /** The text at the bottom: how to stop, or that the run stops. */
  readonly notice: string;
  /** Time of the run's clock. */
  readonly now: number;
  /** Counts frames, for the spinner. */
  readonly tick: number;
  readonly columns: number;
  readonly rows: number;
  readonly style: Style;
}

/** Below this height decorative lines are left out. */
const LOW_ROWS = 20;

/** At most `rows` lines of at most `columns` columns. */
export const frame = (input: FrameInput): string[] => {
  const { rows, columns, style } = input;
  const isLow = rows < LOW_ROWS;
  const space: Line[] = isLow ? [] : [[]];
  const top = [...header(input, isLow), ...gauges(input, isLow), ...ladder(input), ...space];
  const now = [...space, ...workingNow(input)];
  const notice: Line[] = [...space, [{ text: ` ${input.notice}`, tone: 'dim' }]];
  const room = Math.max(1, rows - top.length - now.length - notice.length);
  const plan = planSection(input, room);
  const story = storySection(input, room - plan.length);
  const lines = [...top, ...plan, ...now, ...story, ...notice];
  return lines.slice(0, rows).map((pieces) => rendered(pieces, columns, style));
};

type Line = readonly Piece[];

const header = ({ record, model, columns, style }: FrameInput, isLow: boolean): Line[] => {
  const name = ' Planwright';
  const gap = columns - widthOf(name) - widthOf(model) - 1;
  const first: Line =
    gap < 2
      ? [{ text: name, tone: 'bold' }]
      : [{ text: name, tone: 'bold' }, { text: ' '.repeat(gap) }, { text: model, tone: 'yellow' }];
  const second: Line[] = gap < 2 ? [[{ text: ` ${model}`, tone: 'yellow' }]] : [];
  const rule: Line[] = isLow ? [] : [[{ text: style.signs.rule.repeat(columns), tone: 'dim' }]];
  return [first, ...second, [{ text: ` ${oneLine(record.goal)}` }], ...rule];
};

/* The used share of each limit. */

const BAR_COLUMNS = 8;
const GAUGE_COLUMNS = 29;

const gauges = (input: FrameInput, isLow: boolean): Line[] => {
  const { columns, style } = input;
  const used = usedSoFar(input);
  if (isLow) {
    const text = used.map(({ short }) => short).join(', ');
    return [[{ text: ` ${text}`, tone: 'dim' }]];
  }
  const perLine = Math.max(1, Math.floor((columns - 1) / GAUGE_COLUMNS));
  const lines: Line[] = [];
  for (let index = 0; index < used.length; index += perLine) {
    lines.push(used.slice(index, index + perLine).flatMap((gauge) => gaugePieces(gauge, style)));
  }
  return lines;
};

const usedSoFar = ({ record, bounds, now }: FrameInput): Gauge[] => {
  const elapsedMs = (record.endedAt ?? now) - record.startedAt;
  const leftMs = Math.max(0, bounds.limitMs - elapsedMs);
  const calls = Object.values(record.metrics.agents).reduce((sum, agent) => sum + agent.calls, 0);
  const tokens = record.usage.inputTokens + record.usage.outputTokens;
  const left = `${clockTime(leftMs)} left`;
  return [
    { label: 'Time', share: elapsedMs / bounds.limitMs, text: left, short: left },
    counted('Calls', calls, bounds.agentCalls),
    counted('Replans', record.replans, bounds.replans),
    ...(bounds.tokens === null ? [] : [counted('Tokens', tokens, bounds.tokens)]),
  ];
};

const counted = (label: string, used: number, bound: number): Gauge => ({
  label,
  share: bound === 0 ? 0 : used / bound,
  text: `${amount(used)} of ${amount(bound)}`,
  short: `${label.toLowerCase()} ${amount(used)}/${amount(bound)}`,
});

interface Gauge {
  readonly label: string;
  readonly share: number;
  readonly text: string;
  /** Where there is no room for a bar. */
  readonly short: string;
}

const gaugePieces = ({ label, share, text }: Gauge, style: Style): Piece[] => [
  cell(` ${label}`, 9, style, 'dim'),
  { text: bar(share, BAR_COLUMNS, style), tone: share >= 0.8 ? 'red' : 'cyan' },
  { text: ' ' },
  cell(text, GAUGE_COLUMNS - 9 - BAR_COLUMNS - 1, style),
];

const LEVELS = ['none', 'remind', 'correct', 'refocus', 'critical', 'abort'] as const;

const ladder = ({ record, columns }: FrameInput): Line[] => {
  const { escalation } = record;
  const label: Piece = { text: ' Escalation  ', tone: 'dim' };
  const tone = escalation === 'none' ? 'green' : 'yellow';
  if (columns < 70) {
    const place = `level ${LEVELS.indexOf(escalation)} of ${LEVELS.length - 1}`;
    return [[label, { text: escalation, tone }, { text: `  ${place}`, tone: 'dim' }]];
  }
  const rungs = LEVELS.flatMap((level): Piece[] =>
    level === escalation
      ? [{ text: `[${level}]`, tone }, { text: ' ' }]
      : [{ text: ` ${level} `, tone: 'dim' }, { text: ' ' }],
  );
  return [[label, ...rungs]];
};

/* The plan; when it does not fit, the part around the running steps. */

const PHASES: Readonly<Record<NonNullable<RunRecord['phase']>, string>> = {
  planning: 'planning',
  reviewingPlan: 'in review',
  awaitingPlanApproval: 'waits for a person',
  executing: 'executing',
  draining: 'finishing running steps',
  replanning: 'replanning',
  paused: 'paused',
  awaitingLimitApproval: 'waits for a person',
  verifying: 'verifying the goal',
  summarizing: 'summing up',
  windingDown: 'winding down',
  ended: 'ended',
};

/** The usual maximum width of a status; a fixed width keeps the table still. */
const STATE_COLUMNS = 26;

const planSection = (input: FrameInput, room: number): Line[] => {
  const { record, activity, columns, style } = input;
  const rows = record.steps.map((step) => stepRow(step, activity, input));
  const adopted = record.plans.filter(({ status }) => status === 'adopted').length;
  const planned = record.steps.filter(({ reason }) => reason !== 'replaced');
  const done = planned.filter(({ status }) => status === 'completed').length;
  const title = adopted === 0 ? ' No plan yet' : ` Plan ${adopted}`;
  const count = adopted === 0 ? '' : `, ${done} of ${planned.length} steps done`;
  const phase = record.phase === null ? '' : PHASES[record.phase];
  const heading: Line = [
    { text: title, tone: 'bold' },
    { text: `  ${phase}${count}`, tone: 'dim' },
  ];
  const { shown, before, after } = windowed(rows, room - 1);
  return [
    heading,
    ...(before > 0 ? [[{ text: `   ${before} more`, tone: 'dim' } as const]] : []),
    ...stepTable(shown, columns, style, STATE_COLUMNS),
    ...(after > 0 ? [[{ text: `   ${after} more`, tone: 'dim' } as const]] : []),
  ];
};

interface Window {
  readonly shown: readonly StepRow[];
  readonly before: number;
  readonly after: number;
}

const windowed = (rows: readonly StepRow[], room: number): Window => {
  if (rows.length <= room) return { shown: rows, before: 0, after: 0 };
  // The counts of hidden rows take a line above and one below.
  const tellsMore = room >= 4;
  const size = Math.max(0, tellsMore ? room - 2 : room);
  const open = rows.findIndex(({ isOpen }) => isOpen);
  const current = open < 0 ? rows.length - 1 : open;
  const start = Math.max(0, Math.min(current - (size > 1 ? 1 : 0), rows.length - size));
  const shown = rows.slice(start, start + size);
  const [before, after] = [start, rows.length - start - shown.length];
  return tellsMore ? { shown, before, after } : { shown, before: 0, after: 0 };
};

/** The calls in flight, and since when. */
const workingNow = ({ record, activity, now, tick, style }: FrameInput): Line[] => {
  const { spinner, completed, failed } = style.signs;
  if (record.status !== 'running') {
    const ended = record.status === 'completed' ? completed : failed;
    return [[{ text: ` ${ended} ${record.status}: ${oneLine(record.reason ?? '')}` }]];
  }
  const sign = spinner[tick % spinner.length] ?? '';
  const calls = activity.calls.map(({ who, what, stepId, since }): Line => {
    const about = stepId === null ? '' : ` ${style.signs.dot} ${oneLine(stepId)}`;
    const text = ` ${sign} ${oneLine(who)} ${what}${about}`;
    return [
      { text, tone: 'cyan' },
      { text: `  ${duration(now - since)}`, tone: 'dim' },
    ];
  });
  return calls.length > 0 ? calls : [[{ text: ` ${sign}`, tone: 'cyan' }]];
};

const ABOUT_COLUMNS = 16;
const ABOUT_COLUMNS_NARROW = 11;

const storySection = ({ activity, columns, style }: FrameInput, room: number): Line[] => {
  // The heading and the empty line above it.
  const count = room - 2;
  const latest = count > 0 ? activity.story.slice(-count) : [];
  if (latest.length === 0) return [];
  const lines = latest.map((line) =>
    storyPieces(line, { startedAt: activity.startedAt, columns, style }),
  );
  return [[], [{ text: ' What happened', tone: 'bold' }], ...lines];
};

type StoryPlace = Pick<FrameInput, 'columns' | 'style'> & { readonly startedAt: number };

/** One line of the story, the same in every view. */
export const storyPieces = (
  { at, about, text, tone }: StoryLine,
  { startedAt, columns, style }: StoryPlace,
): Piece[] => [
  { text: ` ${clockTime(at - startedAt).padStart(5)} `, tone: 'dim' },
  cell(about, aboutColumns(columns), style, 'dim'),
  { text: ' ' },
  { text, tone },
];

/** The same in full, in as many lines as needed. */
export const wrappedStory = (line: StoryLine, place: StoryPlace): Piece[][] => {
  const indent = aboutColumns(place.columns) + 8;
  const [first = '', ...rest] = wrapped(line.text, Math.max(10, place.columns - indent));
  return [
    storyPieces({ ...line, text: first }, place),
    ...rest.map((text) => [{ text: ' '.repeat(indent) }, { text, tone: line.tone }]),
  ];
};

const aboutColumns = (columns: number): number =>
  columns < 70 ? ABOUT_COLUMNS_NARROW : ABOUT_COLUMNS;

// The final report: from the report of the run, the files, and the tests.
import type { RunReport } from '../../src/index.js';
import type { FileChange } from './project/changes.js';
import type { LineChange } from './project/line-diff.js';
import type { TestRun } from './test-run/run-tests.js';
import { countsOf, isPassed } from './test-run/run-tests.js';
import type { Activity } from './view/activity.js';
import type { FrameBounds } from './view/frame.js';
import type { Piece } from './view/layout.js';
import { amount, cell, clockTime, duration, rendered } from './view/layout.js';
import { stepRow, stepTable } from './view/steps.js';
import type { Style } from './view/style.js';
import { oneLine, safeLines, wrapped } from './view/text.js';

export interface ReportInput {
  readonly report: RunReport;
  /** The summarizer's text; null when the summarizer was not called. */
  readonly summary: string | null;
  readonly activity: Activity;
  readonly bounds: FrameBounds;
  readonly changes: readonly FileChange[];
  readonly before: TestRun;
  /** Null when the run was stopped: the tests are not run then. */
  readonly after: TestRun | null;
  /** The folder of the copy, if it was kept. */
  readonly folder: string | null;
  readonly isScripted: boolean;
  readonly columns: number;
  readonly style: Style;
}

type Line = readonly Piece[];

export const reportLines = (input: ReportInput): string[] => {
  const { columns, style } = input;
  const lines: readonly Line[] = [
    [{ text: style.signs.rule.repeat(Math.min(columns, 100)), tone: 'dim' }],
    ...outcome(input),
    [],
    ...steps(input),
    [],
    ...files(input),
    [],
    ...numbers(input),
    ...summarySection(input),
    ...ending(input),
  ];
  return lines.map((line) => rendered(line, columns, style));
};

const heading = (text: string): Line => [{ text: ` ${text}`, tone: 'bold' }];

const outcome = ({ report, columns, style }: ReportInput): Line[] => {
  const isCompleted = report.status === 'completed';
  const sign = isCompleted ? style.signs.completed : style.signs.failed;
  const tone = isCompleted ? 'green' : 'red';
  return [
    [{ text: ` ${sign} ${report.status}`, tone }, { text: `  ${oneLine(report.reason)}` }],
    ...wrapped(oneLine(report.goal), columns - 2).map((text): Line => [
      { text: ` ${text}`, tone: 'dim' },
    ]),
  ];
};

const steps = ({ report, activity, columns, style }: ReportInput): Line[] => {
  const rows = report.steps.map((step) => stepRow(step, activity, { style, now: report.endedAt }));
  if (rows.length === 0) return [heading('Steps'), [{ text: '   none' }]];
  return [heading('Steps'), ...stepTable(rows, columns, style)];
};

/** More lines of a file than this are only counted. */
const LINES_SHOWN_MAX = 6;

const files = ({ changes, columns }: ReportInput): Line[] => {
  if (changes.length === 0) return [heading('Files changed'), [{ text: '   none' }]];
  return [
    heading('Files changed'),
    ...changes.flatMap(({ path, kind, lines }): Line[] => {
      const added = lines.filter(({ sign }) => sign === '+').length;
      const shown = lines.slice(0, LINES_SHOWN_MAX);
      const left = lines.length - shown.length;
      const more = left > 0 ? [[{ text: `     ${left} more`, tone: 'dim' } as const]] : [];
      return [
        [
          { text: `   ${oneLine(path)}` },
          { text: `  +${added} -${lines.length - added}`, tone: 'dim' },
          ...(kind === 'changed' ? [] : [{ text: ` ${kind}`, tone: 'dim' } as const]),
        ],
        ...shown.flatMap((line) => changedLine(line, columns)),
        ...more,
      ];
    }),
  ];
};

const changedLine = ({ sign, text }: LineChange, columns: number): Line[] => {
  const [line = ''] = safeLines(text);
  const indent = ' '.repeat(line.length - line.trimStart().length);
  const tone = sign === '+' ? 'green' : 'red';
  return wrapped(line.trimStart(), Math.max(10, columns - 9 - indent.length)).map(
    (part, index): Line => [
      { text: `     ${index === 0 ? sign : ' '} ${indent}${index === 0 ? '' : '  '}${part}`, tone },
    ],
  );
};

const numbers = (input: ReportInput): Line[] => {
  const { report, bounds, before, after, columns, style } = input;
  const { agents, fixCycles, verificationsPassed, verificationsFailed } = report.metrics;
  const calls = Object.entries(agents).filter(([, agent]) => agent.calls > 0);
  const total = calls.reduce((sum, [, agent]) => sum + agent.calls, 0);
  const names = calls.map(([name, agent]) => `${oneLine(name)} ${agent.calls}`).join(', ');
  const { inputTokens, outputTokens, costUsd } = report.usage;
  const cost = costUsd > 0 ? `, ${costUsd.toFixed(4)} USD` : '';
  const fact = (label: string, text: string, tone?: Piece['tone']): Line => [
    cell(` ${label}`, 15, style, 'dim'),
    { text, tone: tone ?? null },
  ];
  return [
    fact('Tests before', countsOf(before), isPassed(before) ? 'green' : 'red'),
    after === null
      ? fact('Tests after', 'not run')
      : fact('Tests after', countsOf(after), isPassed(after) ? 'green' : 'red'),
    fact('Replans', `${report.replans} of at most ${bounds.replans}`),
    fact('Fixes', `${fixCycles} after failed tests`),
    fact('Verdicts', `${verificationsPassed} accepted, ${verificationsFailed} not`),
    fact('Escalation', escalations(report)),
    fact('Agent calls', `${total} of at most ${bounds.agentCalls}`),
    ...wrapped(names, Math.min(columns, 100) - 16).map((text) => fact('', text, 'dim')),
    fact('Tokens', `${amount(inputTokens)} in, ${amount(outputTokens)} out${cost}`),
    fact('Time', `${duration(report.durationMs)} of at most ${clockTime(bounds.limitMs)} min`),
  ];
};

const escalations = ({ escalations: moves }: RunReport): string =>
  moves.length === 0 ? 'none' : ['none', ...moves.map(({ to }) => to)].join(' > ');

const summarySection = ({ summary, columns }: ReportInput): Line[] => {
  if (summary === null) return [];
  const lines = safeLines(summary).flatMap((line) => {
    const indent = /^ *(?:[-*] )?/.exec(line)?.[0] ?? '';
    const room = Math.max(10, Math.min(columns, 100) - 4 - indent.length);
    return wrapped(line.slice(indent.length), room).map((part, index): Line => {
      const start = index === 0 ? indent : ' '.repeat(indent.length);
      return [{ text: `   ${start}${part}` }];
    });
  });
  return [[], heading('Summary'), ...lines];
};

const ending = ({ folder, isScripted, columns }: ReportInput): Line[] => {
  const notes = [
    ...(folder === null ? [] : [`The work is in ${oneLine(folder)}`]),
    ...(isScripted
      ? [
          'Only the answers of the model were scripted: the plan, the edits, the tests and the requests to the model were real. With OPENAI_API_KEY set, npm start calls a model.',
        ]
      : []),
  ];
  return notes.flatMap((note) => [
    [],
    ...wrapped(note, Math.min(columns, 100) - 2).map((text): Line => [
      { text: ` ${text}`, tone: 'yellow' },
    ]),
  ]);
};

// One row for each step of the plan.
import type { StepRecord } from '../../../src/index.js';
import type { Activity } from './activity.js';
import type { Piece } from './layout.js';
import { cell, duration } from './layout.js';
import type { Style, Tone } from './style.js';
import { oneLine, widthOf } from './text.js';

export interface StepRow {
  readonly id: string;
  readonly agent: string;
  readonly task: string;
  readonly sign: string;
  readonly state: string;
  readonly tone: Tone | null;
  readonly time: string;
  readonly isOpen: boolean;
}

type Look = Pick<StepRow, 'sign' | 'state' | 'tone'>;

export const stepRow = (
  step: StepRecord,
  activity: Activity,
  { style, now }: { readonly style: Style; readonly now: number },
): StepRow => {
  const look = lookOf(step, activity, style);
  const durationMs =
    step.durationMs ?? (step.startedAt === null ? null : Math.max(0, now - step.startedAt));
  return {
    id: oneLine(step.id),
    agent: oneLine(step.agent),
    task: oneLine(step.task),
    sign: look.sign,
    state: oneLine(look.state),
    tone: look.tone,
    time: durationMs === null || step.startedAt === null ? '' : duration(durationMs),
    isOpen: step.status === 'pending' || look.tone === 'cyan',
  };
};

const lookOf = (step: StepRecord, activity: Activity, { signs }: Style): Look => {
  const notes = activity.notesOf(step.id);
  const fixes = notes.fixes === 0 ? '' : `, ${notes.fixes} ${notes.fixes === 1 ? 'fix' : 'fixes'}`;
  switch (step.status) {
    case 'pending':
      return { sign: signs.pending, state: 'waits', tone: 'dim' };
    case 'running':
      return { sign: signs.running, state: `${currentWork(step, activity)}${fixes}`, tone: 'cyan' };
    case 'blocked':
      return { sign: signs.running, state: 'a sub-plan works on it', tone: 'cyan' };
    case 'awaitingApproval':
      return { sign: signs.waiting, state: 'waits for a person', tone: 'yellow' };
    case 'completed':
      return notes.hasAskedForPlan
        ? { sign: signs.replanned, state: 'asked for a new plan', tone: 'yellow' }
        : { sign: signs.completed, state: `completed${fixes}`, tone: 'green' };
    case 'failed':
      return { sign: signs.failed, state: `failed: ${step.reason ?? ''}`, tone: 'red' };
    case 'skipped':
    case 'cancelled':
      return { sign: signs.skipped, state: reasonOf(step), tone: 'dim' };
  }
};

/** A new plan replaces pending steps; the reason says so, and 'skipped: replaced' would say it twice. */
const reasonOf = ({ status, reason }: StepRecord): string =>
  reason === 'replaced' ? 'replaced' : `${status}: ${reason ?? ''}`;

const currentWork = ({ id }: StepRecord, activity: Activity): string => {
  const call = activity.calls.findLast(({ stepId }) => stepId === id);
  return call === undefined ? 'running' : `${call.who} ${call.what}`;
};

const NARROW_COLUMNS = 70;
const TASK_COLUMNS_MIN = 30;

/** The rows as a table: with the task where it fits, and only the required columns otherwise. */
export const stepTable = (
  rows: readonly StepRow[],
  columns: number,
  style: Style,
  stateColumnsWished = widest(rows, 'state', 40),
): Piece[][] => {
  const isNarrow = columns < NARROW_COLUMNS;
  const idColumns = widest(rows, 'id', isNarrow ? 13 : 20);
  const agentColumns = isNarrow ? 0 : widest(rows, 'agent', 12);
  const stateColumns = isNarrow ? columns - idColumns - 5 : stateColumnsWished;
  const taskColumns = columns - idColumns - agentColumns - stateColumns - 19;
  return rows.map((row) => [
    { text: ' ' },
    { text: row.sign, tone: row.tone },
    { text: ' ' },
    cell(row.id, idColumns, style, row.state === 'replaced' ? 'dim' : null),
    { text: ' ' },
    ...(isNarrow ? [] : [cell(row.agent, agentColumns, style, 'dim'), { text: ' ' }]),
    cell(row.state, stateColumns, style, row.tone),
    ...(isNarrow ? [] : [{ text: ' ' }, cell(row.time.padStart(9), 9, style, 'dim')]),
    ...(isNarrow || taskColumns < TASK_COLUMNS_MIN
      ? []
      : [{ text: '   ' }, cell(row.task, taskColumns, style, 'dim')]),
  ]);
};

const widest = (
  rows: readonly StepRow[],
  name: 'id' | 'agent' | 'state',
  columns: number,
): number => Math.min(columns, Math.max(4, ...rows.map((row) => widthOf(row[name]))));

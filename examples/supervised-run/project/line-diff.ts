export interface LineChange {
  readonly sign: '+' | '-';
  readonly text: string;
}

/** Beyond this all lines in between count as changed: such a diff is too long to read. */
const CELLS_MAX = 4_000_000;

/** The removed and the added lines, in order, by the longest common subsequence. */
export const lineDiff = (before: string, after: string): LineChange[] => {
  const [old, current] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < current.length && old[start] === current[start]) start += 1;
  let same = 0;
  const rest = Math.min(old.length, current.length) - start;
  while (same < rest && old.at(-1 - same) === current.at(-1 - same)) same += 1;
  const removed = old.slice(start, old.length - same);
  const added = current.slice(start, current.length - same);
  return removed.length * added.length > CELLS_MAX
    ? [...signed('-', removed), ...signed('+', added)]
    : walk(removed, added, commonLengths(removed, added));
};

const linesOf = (text: string): string[] => {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
};

const signed = (sign: LineChange['sign'], lines: readonly string[]): LineChange[] =>
  lines.map((text) => ({ sign, text }));

/** `table[row][column]`: the number of common lines from there on. */
const commonLengths = (old: readonly string[], current: readonly string[]): Uint32Array[] => {
  const width = current.length + 1;
  const table = Array.from({ length: old.length + 1 }, () => new Uint32Array(width));
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = current.length - 1; column >= 0; column -= 1) {
      const cells = table[row] ?? new Uint32Array(width);
      cells[column] =
        old[row] === current[column]
          ? cell(table, row + 1, column + 1) + 1
          : Math.max(cell(table, row + 1, column), cell(table, row, column + 1));
    }
  }
  return table;
};

const cell = (table: readonly Uint32Array[], row: number, column: number): number =>
  table[row]?.[column] ?? 0;

const walk = (
  old: readonly string[],
  current: readonly string[],
  table: readonly Uint32Array[],
): LineChange[] => {
  const changes: LineChange[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < current.length) {
    const [removed, added] = [old[row], current[column]];
    if (removed !== undefined && removed === added) {
      row += 1;
      column += 1;
    } else if (
      removed !== undefined &&
      (added === undefined || cell(table, row + 1, column) >= cell(table, row, column + 1))
    ) {
      changes.push({ sign: '-', text: removed });
      row += 1;
    } else {
      changes.push({ sign: '+', text: added ?? '' });
      column += 1;
    }
  }
  return changes;
};

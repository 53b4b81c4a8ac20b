import type { Issue } from './errors.js';
import { joinPath } from './errors.js';

// Longer names are not typing errors; comparing them would only cost time.
const maxComparedCharacters = 64;

const thirdOf = (candidate: string): number => Math.ceil(candidate.length / 3);

/**
 * The candidate closest to a mistyped name, or undefined when none is near: by default at most a third of its characters
 * may differ, ignoring case.
 */
export function closestName(
  name: string,
  candidates: readonly string[],
  mostIn: (candidate: string) => number = thirdOf,
): string | undefined {
  if (name.length > maxComparedCharacters) {
    return undefined;
  }
  let closest: string | undefined;
  let smallestDistance = Infinity;
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance <= mostIn(candidate) && distance < smallestDistance) {
      closest = candidate;
      smallestDistance = distance;
    }
  }
  return closest;
}

/** Levenshtein's distance, one row of the table at a time. */
function editDistance(left: string, right: string): number {
  const rightCharacters = Array.from(right);
  let row = Array.from({ length: rightCharacters.length + 1 }, (_, column) => column);
  for (const [leftIndex, leftCharacter] of Array.from(left).entries()) {
    const nextRow = [leftIndex + 1];
    for (const [rightIndex, rightCharacter] of rightCharacters.entries()) {
      const substitution = valueAt(row, rightIndex) + (leftCharacter === rightCharacter ? 0 : 1);
      const deletion = valueAt(row, rightIndex + 1) + 1;
      const insertion = valueAt(nextRow, rightIndex) + 1;
      nextRow.push(Math.min(substitution, deletion, insertion));
    }
    row = nextRow;
  }
  return valueAt(row, row.length - 1);
}

function valueAt(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}

/** ". Did you mean `planner`?", or nothing when no candidate is close. */
export function suggestion(name: string, candidates: readonly string[]): string {
  const closest = closestName(name, candidates);
  return closest === undefined ? '' : `. Did you mean \`${closest}\`?`;
}

/** More than an error lists: an object with a million unknown options costs no more than one with this many. */
const maxIssues = 100;

/** One issue for every option that does not exist, with the name that was probably meant. */
export function unknownOptions(given: object, known: readonly string[], path = ''): Issue[] {
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  return unknown.slice(0, maxIssues).map((name) => {
    const place = joinPath(path, name.slice(0, 100));
    const hint = suggestion(name, known) || `. Known options: ${known.join(', ')}`;
    return {
      code: 'unknown-option',
      path: place,
      message: `There is no option \`${place}\`${hint}`,
    };
  });
}

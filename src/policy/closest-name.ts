// Longer names are not typing errors; comparing them would only cost time.
const maxComparedCharacters = 64;

/**
 * The candidate closest to a mistyped name, or undefined when none is near: at most a third of its characters may
 * differ, ignoring case.
 */
export function closestName(name: string, candidates: readonly string[]): string | undefined {
  if (name.length > maxComparedCharacters) {
    return undefined;
  }
  let closest: string | undefined;
  let smallestDistance = Infinity;
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    const allowedDistance = Math.ceil(candidate.length / 3);
    if (distance <= allowedDistance && distance < smallestDistance) {
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

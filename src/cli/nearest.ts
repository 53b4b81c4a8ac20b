/** The name that was probably meant: with at most a third of its letters wrong. */
export const nearest = (given: string, names: readonly string[]): string | undefined => {
  const wanted = given.toLowerCase();
  const ranked = names
    .map((name) => ({ name, distance: distanceOf(wanted, name.toLowerCase()) }))
    .sort((left, right) => left.distance - right.distance);
  const [best] = ranked;
  if (best === undefined || best.distance > Math.ceil(best.name.length / 3)) return undefined;
  return best.name;
};

/** How many letters must be put in, left out or changed. */
const distanceOf = (left: string, right: string): number => {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let position = 0; position < left.length; position += 1) {
    const letter = left[position];
    const next = [position + 1];
    for (let index = 1; index <= right.length; index += 1) {
      const changed = (row[index - 1] ?? 0) + (letter === right[index - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[index] ?? 0) + 1, (next[index - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
};

import type { Exhibit } from './exhibit.js';
import { exhibits, rooms } from './exhibits.js';
import type { Property, Witness } from './explore.js';
import { pictureOf } from './picture.js';
import { witnessText } from './witness-text.js';

/* docs/internals/museum.md, generated from the exhibits: `npm run museum` writes it, and a test compares it. */

const KINDS: Readonly<Record<Property<unknown>['kind'], string>> = {
  never: 'something that must never be',
  ends: 'every way comes to an end',
  leavesByItself: 'no state waits for ever',
};

export const museumPage = (): string =>
  [
    introduction(),
    overview(),
    ...rooms.map((room) =>
      [`## ${room.title}`, ...room.exhibits.map((exhibit) => section(exhibit))].join('\n\n'),
    ),
  ].join('\n\n') + '\n';

const introduction = (): string => `# The bug museum

<!-- Written by \`npm run museum\` from \`test/museum\`; change it there. -->

${exhibits.length} defects of real orchestrators: of the five designs this package started from, and of the best known systems of
its kind. Each hangs here as a small XState chart that really has the bug, with the promise that it breaks. None of the ways into a bug was
written down by hand: a breadth-first search asks the chart which events it takes in each state it can be in, every answer of
agents, planners, people and clocks included, and stops at the first state that breaks the promise. So every way shown is a
shortest one. Beside each broken chart stands the repaired one; there the same search looks at every state and finds nothing.

The charts are in [\`test/museum/exhibits\`](../../test/museum/exhibits), the search is \`explore\` in \`test/museum/explore.ts\`. For each
exhibit "happens on a live actor" in \`test/museum/museum.test.ts\` plays the way on a running actor, and
"has no shorter path when every sequence of events is tried" in \`test/museum/museum.test.ts\` looks for a shorter one without
the search. What this package promises instead, and which test holds it, is in the [architecture](../architecture.md#invariants).

Where a defect is from stands below it: a seed and the number of the defect in our list of them, a project and its issue, or
"field study", which is our reading of the sources of those projects in 2026.

In the pictures the way into the bug is red and numbered, and the state it ends in is filled. An arrow with a guard's name, or with none,
is taken by the chart itself.`;

const overview = (): string => {
  const rows = exhibits.map((exhibit) => {
    const broken = exhibit.search(exhibit.broken);
    const fixed = exhibit.search(exhibit.fixed);
    return `| [${exhibit.title}](#${anchorOf(exhibit)}) | ${KINDS[exhibit.property]} | ${broken.witness?.steps.length ?? ''} | ${broken.states} | ${fixed.states} |`;
  });
  return [
    '| exhibit | what is searched for | steps to it | states until found | states of the repaired chart |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
};

const section = (exhibit: Exhibit): string => {
  const witness = witnessOf(exhibit);
  return [
    `### ${exhibit.title}`,
    exhibit.story,
    `**Promise:** ${exhibit.promise}`,
    `\`\`\`mermaid\n${pictureOf(exhibit.broken, witness)}\n\`\`\``,
    `\`\`\`text\n${witnessText(witness)}\n\`\`\``,
    `**Here:** ${exhibit.ruledOut}`,
    `**From:** ${exhibit.source}.`,
  ].join('\n\n');
};

const witnessOf = (exhibit: Exhibit): Witness => {
  const { witness } = exhibit.search(exhibit.broken);
  if (witness === null) throw new Error(`Nothing is wrong with the exhibit ${exhibit.id}`);
  return witness;
};

/** The anchor that GitHub makes from the heading. */
const anchorOf = ({ title }: Exhibit): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number} _-]/gu, '')
    .replaceAll(' ', '-');

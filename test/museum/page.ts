import type { Exhibit } from './exhibit.js';
import { exhibits, rooms } from './exhibits.js';
import type { Property, Witness } from './explore.js';
import { pictureOf } from './picture.js';
import { witnessText } from './witness-text.js';

/* docs/internals/museum.md, generated from the exhibits: `npm run museum` writes it, and a test compares it. */

const KINDS: Readonly<Record<Property<unknown>['kind'], string>> = {
  never: 'a forbidden state',
  ends: 'every path ends',
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
its kind. Each is a small XState chart that has the bug, with the promise that it breaks. No path to a bug was written by hand:
a breadth-first search tries every event that the chart accepts in each reachable state, every answer of agents, planners,
people and clocks included, and stops at the first state that breaks the promise. So every path shown is a shortest one. The
same search explores every state of the fixed chart and finds nothing.

The charts are in [\`test/museum/exhibits\`](../../test/museum/exhibits), the search is \`explore\` in \`test/museum/explore.ts\`. For each
exhibit "happens on a live actor" in \`test/museum/museum.test.ts\` plays the path on a running actor, and
"has no shorter path when every sequence of events is tried" in \`test/museum/museum.test.ts\` searches for a shorter one without
the table of visited states. What this package promises instead, and which test checks it, is in the [architecture](../architecture.md#invariants).

The origin of each defect is below it: a seed and the number of the defect in our list of them, a project and its issue, or
"field study", which is our reading of the sources of those projects in 2026.

In the pictures the path to the bug is red and numbered, and the state it ends in is filled. The chart itself takes arrows with
a guard's name or without a label.`;

const overview = (): string => {
  const rows = exhibits.map((exhibit) => {
    const broken = exhibit.search(exhibit.broken);
    const fixed = exhibit.search(exhibit.fixed);
    return `| [${exhibit.title}](#${anchorOf(exhibit)}) | ${KINDS[exhibit.property]} | ${broken.witness?.steps.length ?? ''} | ${broken.states} | ${fixed.states} |`;
  });
  return [
    '| defect | searched for | steps to it | states until found | states of the fixed chart |',
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
  if (witness === null) throw new Error(`The exhibit ${exhibit.id} has no defect`);
  return witness;
};

/** The anchor that GitHub makes from the heading. */
const anchorOf = ({ title }: Exhibit): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number} _-]/gu, '')
    .replaceAll(' ', '-');

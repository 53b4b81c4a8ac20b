import { gzipSync } from 'node:zlib';

import type { Consumer } from '../package/consumer.js';
import { asWrittenByUser, createConsumer } from '../package/consumer.js';
import { entriesWithoutNode as entries } from '../package/manifest.js';
import type { ActorStory, KernelStory } from './scenario.js';

/* A user's project with the packed package in it, to be bundled for an environment without Node. */

/** What the page and the worker show of the scenario. */
export interface Stories {
  readonly byKernel: KernelStory;
  readonly byXState: ActorStory;
}

/** The number of names each entry point exports, by its import name. */
export type ExportCounts = Readonly<Record<string, number>>;

export const createFrontEnd = (): Consumer => {
  const consumer = createConsumer();
  consumer.write('scenario.ts', asWrittenByUser('test/bundle/scenario.ts'));
  consumer.write('stories.ts', stories);
  consumer.write('entries.ts', exportCounts);
  return consumer;
};

const stories = `
import { runByKernel, runByXState } from './scenario.ts';
export const show = async () => ({ byKernel: await runByKernel(), byXState: await runByXState() });
`;

/** Every entry point that does not need Node. */
const exportCounts = `
${entries.map(({ specifier }, index) => `import * as entry${index} from '${specifier}';`).join('\n')}
export const show = async () => ({
${entries.map(({ specifier }, index) => `'${specifier}': Object.keys(entry${index}).length,`).join('\n')}
});
`;

/** Prints the size of a bundle. No budget: `npm run size` checks that of the package itself. */
export const printSize = (name: string, code: string): void => {
  const bytes = Buffer.byteLength(code);
  const gzipBytes = gzipSync(code, { level: 9 }).byteLength;
  process.stdout.write(
    `${name}: ${bytes} bytes minified, ${gzipBytes} bytes gzipped, peers included\n`,
  );
};

import { cpSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { bundleForNode } from '../../scripts/bundle-for-node.js';
import { compiledBy, printedBy } from './command.js';
import { packedFiles, root } from './manifest.js';

/** What `npm run build` compiles, in this order. */
const projects = ['tsconfig.build.json', 'tsconfig.build.node.json'];

/** Packs the package as it would be published, into a temporary folder, and returns the path of the tarball. */
export const packInto = async (folder: string): Promise<string> => {
  const packed = isBuilt() ? root : await builtIn(join(folder, 'built'));
  const destination = join(folder, 'packed');
  mkdirSync(destination, { recursive: true });
  await printedBy('npm', ['pack', '--ignore-scripts', '--pack-destination', destination], packed);
  const [tarball] = readdirSync(destination);
  if (tarball === undefined) throw new Error('npm pack wrote no tarball');
  return join(destination, tarball);
};

/** Whether `dist` is what `npm run build` would write now, by names and times. */
const isBuilt = (): boolean => {
  if (!existsSync(join(root, 'dist'))) return false;
  const sources = filesIn('src', '.ts');
  const files = filesIn('dist', '.js');
  const outputs = files.filter((name) => !name.startsWith('node/'));
  if (sources.join() !== outputs.join() || files.length === outputs.length) return false;
  const settingsMs = Math.max(...['tsconfig.json', ...projects].map(modifiedMs));
  return sources.every((name) => {
    const sourceMs = Math.max(modifiedMs(`src/${name}.ts`), settingsMs);
    return modifiedMs(`dist/${name}.js`) >= sourceMs;
  });
};

/** The names under a folder without their ending, in order. */
const filesIn = (folder: string, ending: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length).replaceAll('\\', '/'))
    .sort();

const modifiedMs = (path: string): number => statSync(join(root, path)).mtimeMs;

/** The package, built elsewhere: this test does not change `dist`. */
const builtIn = async (folder: string): Promise<string> => {
  for (const name of ['package.json', ...packedFiles.filter((file) => file !== 'dist')])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  for (const project of projects) {
    await compiledBy('TypeScript 7', ['-p', project, '--outDir', join(folder, 'dist')], root);
  }
  await bundleForNode(folder);
  return folder;
};

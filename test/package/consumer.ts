import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { printedBy } from './command.js';
import { entries, root } from './manifest.js';
import { packInto } from './pack.js';

/** A new project in its own folder that will use the package. */
export interface Consumer {
  readonly folder: string;
  /** Installs the packed package, and copies of these packages beside it. */
  install(packages: readonly string[]): Promise<void>;
  /** Installs copies of more packages. */
  add(packages: readonly string[]): Promise<void>;
  /**
   * The same with links to ours, for packages that are only read: faster, but they also see what is beside ours.
   * `instead` names the folders of packages that are installed here under another name.
   */
  installLinked(
    packages: readonly string[],
    instead?: Readonly<Record<string, string>>,
  ): Promise<void>;
  write(path: string, text: string): void;
  readonly dispose: () => void;
}

/** A temporary folder, and its removal. */
export const temporaryFolder = (): { readonly folder: string; readonly dispose: () => void } => {
  const folder = mkdtempSync(join(tmpdir(), 'planwright-package-'));
  return { folder, dispose: () => rmSync(folder, { recursive: true, force: true }) };
};

export const createConsumer = (): Consumer => {
  const { folder: parent, dispose } = temporaryFolder();
  const folder = join(parent, 'consumer');
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write('package.json', '{ "name": "consumer", "private": true, "type": "module" }\n');
  const npmInstall = async (...args: readonly string[]): Promise<void> => {
    await printedBy('npm', ['install', ...installOptions, ...args], folder);
  };
  const installCopies = (...paths: readonly string[]): Promise<void> =>
    npmInstall('--install-links', '--strict-peer-deps', ...paths);
  return {
    folder,
    write,
    dispose,
    install: async (packages) => installCopies(await packInto(parent), ...packages.map(ours)),
    add: (packages) => installCopies(...withDependencies(packages)),
    installLinked: async (packages, instead = {}) => {
      await npmInstall('--legacy-peer-deps', await packInto(parent));
      for (const name of packages) {
        const link = join(folder, 'node_modules', name);
        mkdirSync(dirname(link), { recursive: true });
        symlinkSync(ours(instead[name] ?? name), link, 'junction');
      }
    },
  };
};

/** Nothing from a registry: what the package needs and does not bring must be beside it. */
const installOptions = ['--ignore-scripts', '--offline', '--no-audit', '--no-fund'];

/**
 * The folders of the packages and all their installed dependencies: platform packages are there for this machine
 * only. A dependency in another version lies below its dependent.
 */
const withDependencies = (packages: readonly string[]): readonly string[] => {
  const all = new Set(packages.map(ours));
  for (const folder of all) {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Readonly<
      Record<'dependencies' | 'optionalDependencies', Readonly<Record<string, string>> | undefined>
    >;
    const needed = { ...manifest.dependencies, ...manifest.optionalDependencies };
    for (const name of Object.keys(needed)) {
      const found = [join(folder, 'node_modules', name), ours(name)].find(existsSync);
      if (found !== undefined) all.add(found);
    }
  }
  return [...all];
};

const ours = (name: string): string => join(root, 'node_modules', name);

/** One of our files as a user of the package writes it: with the names of the entry points. */
export const asWrittenByUser = (path: string): string =>
  entries.reduce(
    (text, { specifier, source }) => {
      const built = source.replace(/\.ts$/, '.js').replaceAll('.', '\\.');
      return text.replaceAll(new RegExp(`'(?:\\.\\./)+${built}'`, 'g'), `'${specifier}'`);
    },
    readFileSync(join(root, path), 'utf8'),
  );

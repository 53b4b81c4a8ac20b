import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/* The content of package.json, so that no test has its own list, which would become outdated. */

export const root = join(import.meta.dirname, '../..');

interface Manifest {
  readonly name: string;
  readonly files: readonly string[];
  readonly exports: Readonly<Record<string, string | Target>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** The file of an entry point. One that needs Node has no default, so a bundler for browsers reports it. */
interface Target {
  readonly types: string;
  readonly node?: string;
  readonly default?: string;
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;

/** What npm packs besides package.json. */
export const packedFiles = manifest.files.filter((path) => !path.startsWith('!'));

interface Entry {
  /** What users import: `planwright/testing`. */
  readonly specifier: string;
  /** Its source: `src/testing.ts`. */
  readonly source: string;
  readonly needsNode: boolean;
}

/** Every entry point that is code. */
export const entries: readonly Entry[] = Object.entries(manifest.exports).flatMap(
  ([path, target]) =>
    typeof target === 'string'
      ? []
      : [
          {
            specifier: path.replace('.', manifest.name),
            source: target.types.replace('./dist/', 'src/').replace(/\.d\.ts$/, '.ts'),
            needsNode: target.default === undefined,
          },
        ],
);

/** Those for browsers and workers, too. */
export const entriesWithoutNode = entries.filter(({ needsNode }) => !needsNode);

const isOptional = (peer: string): boolean =>
  manifest.peerDependenciesMeta?.[peer]?.optional === true;

export const allPeers = Object.keys(manifest.peerDependencies);
export const requiredPeers = allPeers.filter((peer) => !isOptional(peer));
export const optionalPeers = allPeers.filter(isOptional);

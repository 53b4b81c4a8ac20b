/**
 * `npm run test:node -- 22 24`: runs tests on other versions of Node.
 *
 *   npm run test:node -- 22 24            the suite below, on the newest Node 22 and the newest Node 24
 *   npm run test:node -- 22 test/run      the tests of one folder
 *
 * The binaries come from npm, from one package per platform: 185 MB each, too much for every `npm ci`. They
 * are kept in node_modules/.cache.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** The parts that depend on Node or on its packages: the built package, SQLite, resuming, and the model adapter. */
const SUITE = [
  'test/package/smoke.test.ts',
  'test/stores/sqlite',
  'test/run/resume.test.ts',
  'test/openai',
];

const isMajor = (argument: string): boolean => /^\d+$/.test(argument);
const given = process.argv.slice(2);
const majors = given.filter(isMajor);
const paths = given.filter((argument) => !isMajor(argument));
if (majors.length === 0) throw new Error('Say which Node: npm run test:node -- 22 24');

for (const major of majors) {
  const node = binaryOf(major);
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  console.log(`\n=== Node ${version}`);
  const { status } = spawnSync(
    node,
    ['node_modules/vitest/vitest.mjs', 'run', ...(paths.length > 0 ? paths : SUITE)],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        PATH: `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}`,
        // The one that users of this Node get. test/package/smoke.test.ts uses both.
        OPENAI_CLIENT: Number(major) < 22 ? 'openai' : 'openai-7',
      },
    },
  );
  if (status !== 0) process.exit(1);
}

/** The path of the newest Node of a major version; installs it when it is missing. */
function binaryOf(major: string): string {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const folder = join(process.cwd(), 'node_modules/.cache/planwright/node', major);
  const binary = join(
    folder,
    'node_modules',
    name,
    'bin',
    platform === 'win' ? 'node.exe' : 'node',
  );
  if (!existsSync(binary)) {
    const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts'];
    execFileSync('npm', ['install', '--prefix', folder, ...options, `${name}@${major}`], {
      stdio: 'inherit',
      shell: platform === 'win', // npm is a .cmd file there
    });
  }
  return binary;
}

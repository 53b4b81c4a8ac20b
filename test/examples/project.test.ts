import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { changesBetween, snapshotOf } from '../../examples/supervised-run/project/changes.js';
import { copyProject } from '../../examples/supervised-run/project/copy.js';
import { lineDiff } from '../../examples/supervised-run/project/line-diff.js';
import { projectTools } from '../../examples/supervised-run/tools.js';
import type { OpenAiTool, ToolCall } from '../../src/services/openai/index.js';

let parent = '';
let folder = '';

beforeEach(() => {
  parent = mkdtempSync(join(realpathSync(tmpdir()), 'planwright-project-test-'));
  folder = join(parent, 'project');
  mkdirSync(join(folder, 'src'), { recursive: true });
  mkdirSync(join(folder, 'node_modules/package'), { recursive: true });
  writeFileSync(join(folder, 'src/a.js'), 'a\n');
  writeFileSync(join(folder, 'node_modules/package/index.js'), 'not yours\n');
  writeFileSync(join(parent, 'secret.txt'), 'secret\n');
});

afterEach(() => {
  rmSync(parent, { recursive: true, force: true });
});

const call: ToolCall = { goal: '', key: 'k', signal: new AbortController().signal };
const use = async (tool: OpenAiTool, parameters: unknown): Promise<unknown> =>
  tool.run(parameters as never, call);
const tools = () => projectTools(folder, { isProtected: (path) => path.startsWith('test/') });

describe('the tools', () => {
  it('list, read and write the files of the project', async () => {
    const { listFiles, readFile, writeFile } = tools();
    expect(await use(readFile, { path: 'src/a.js' })).toBe('a\n');
    expect(await use(readFile, { path: './src/a.js' })).toBe('a\n');
    await use(writeFile, { path: 'src/deep/b.js', text: 'b\n' });
    await use(writeFile, { path: 'src/a.js', text: 'c' });
    expect(readFileSync(join(folder, 'src/deep/b.js'), 'utf8')).toBe('b\n');
    expect(readFileSync(join(folder, 'src/a.js'), 'utf8')).toBe('c');
    expect(await use(listFiles, {})).toEqual(['src/a.js', 'src/deep/b.js']);
  });

  const outside = [
    '../secret.txt',
    'src/../../secret.txt',
    '/etc/passwd',
    'src//a.js',
    '',
    '.',
    '..',
    'C:\\secret.txt',
    'src\\..\\..\\secret.txt',
    'src/a.js\0.txt',
    'node_modules/package/index.js',
    '.git/config',
  ];

  it.each(outside)('refuse %j', async (path) => {
    const { readFile, writeFile } = tools();
    await expect(use(readFile, { path })).rejects.toThrow('inside the project');
    await expect(use(writeFile, { path, text: 'x' })).rejects.toThrow('inside the project');
    expect(readFileSync(join(parent, 'secret.txt'), 'utf8')).toBe('secret\n');
  });

  it('follow no link in any part of the path', async () => {
    const { listFiles, readFile, writeFile } = tools();
    symlinkSync(join(parent, 'secret.txt'), join(folder, 'src/link.txt'));
    symlinkSync(parent, join(folder, 'up'));
    symlinkSync(join(folder, 'src/a.js'), join(folder, 'src/inner.js'));
    symlinkSync(join(parent, 'made.txt'), join(folder, 'src/dangling.txt'));
    for (const path of ['src/link.txt', 'up/secret.txt', 'src/inner.js', 'src/dangling.txt']) {
      await expect(use(readFile, { path })).rejects.toThrow('leads through a link');
      await expect(use(writeFile, { path, text: 'x' })).rejects.toThrow('leads through a link');
    }
    expect(await use(listFiles, {})).toEqual(['src/a.js']);
    expect(readFileSync(join(parent, 'secret.txt'), 'utf8')).toBe('secret\n');
    expect(readFileSync(join(folder, 'src/a.js'), 'utf8')).toBe('a\n');
  });

  it('refuse files that are protected, too large, missing or not regular', async () => {
    const { readFile, writeFile } = tools();
    await expect(use(writeFile, { path: 'test/a.test.js', text: '' })).rejects.toThrow(
      'cannot be changed',
    );
    await expect(use(writeFile, { path: 'b', text: 'x'.repeat(200_001) })).rejects.toThrow(
      '200000',
    );
    await expect(use(writeFile, { path: 'src', text: '' })).rejects.toThrow('is not a file');
    await expect(use(readFile, { path: 'nothing.js' })).rejects.toThrow('There is no file');
    await expect(use(readFile, { path: 'src' })).rejects.toThrow('There is no file');
    writeFileSync(join(folder, 'large.txt'), 'x'.repeat(200_001));
    await expect(use(readFile, { path: 'large.txt' })).rejects.toThrow('larger than');
  });

  it('protect a file under every way to write its path', async () => {
    const { writeFile } = tools();
    mkdirSync(join(folder, 'test'));
    for (const path of ['./test/a.test.js', '././test/a.test.js', 'test/./a.test.js']) {
      await expect(use(writeFile, { path, text: '' })).rejects.toThrow('cannot be changed');
    }
  });
});

describe('a copy of a project', () => {
  it('has the files, links the packages, leaves out links and history, and is removed as a whole', async () => {
    mkdirSync(join(folder, '.git'));
    writeFileSync(join(folder, '.git/config'), '');
    symlinkSync(join(parent, 'secret.txt'), join(folder, 'link.txt'));
    const copy = await copyProject(folder);
    expect([...(await snapshotOf(copy.folder)).keys()]).toEqual(['src/a.js']);
    expect(readFileSync(join(copy.folder, 'node_modules/package/index.js'), 'utf8')).toBe(
      'not yours\n',
    );
    const { readFile } = projectTools(copy.folder, { isProtected: () => false });
    const inside = { path: 'node_modules/package/index.js' };
    await expect(use(readFile, inside)).rejects.toThrow('inside the project');
    writeFileSync(join(copy.folder, 'src/a.js'), 'changed\n');
    expect(readFileSync(join(folder, 'src/a.js'), 'utf8')).toBe('a\n');
    copy.remove();
    expect(() => readFileSync(join(copy.folder, 'src/a.js'))).toThrow('ENOENT');
    expect(readFileSync(join(folder, 'node_modules/package/index.js'), 'utf8')).toBe('not yours\n');
  });
});

describe('a diff', () => {
  it('lists changes by file and line', () => {
    const before = new Map([
      ['same', 'x'],
      ['b', 'one\ntwo\nthree\n'],
      ['gone', 'x\n'],
    ]);
    const after = new Map([
      ['same', 'x'],
      ['b', 'one\n2\nthree\nfour\n'],
      ['a', 'new\n'],
    ]);
    expect(changesBetween(before, after)).toEqual([
      { path: 'a', kind: 'added', lines: [{ sign: '+', text: 'new' }] },
      {
        path: 'b',
        kind: 'changed',
        lines: [
          { sign: '-', text: 'two' },
          { sign: '+', text: '2' },
          { sign: '+', text: 'four' },
        ],
      },
      { path: 'gone', kind: 'removed', lines: [{ sign: '-', text: 'x' }] },
    ]);
  });

  it('leads from the one text to the other, and lists no unchanged line', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const changes = lineDiff(before.join('\n'), after.join('\n'));
        const count = (sign: string) => changes.filter((change) => change.sign === sign).length;
        expect(before.length - count('-')).toBe(after.length - count('+'));
        const kept = (lines: string[], sign: string): string[] => {
          const left = changes
            .filter((change) => change.sign === sign)
            .map(({ text: gone }) => gone);
          return subtract(lines, left);
        };
        expect(kept(before, '-').sort()).toEqual(kept(after, '+').sort());
        if (before.join('\n') === after.join('\n')) expect(changes).toEqual([]);
      }),
    );
  });

  const subtract = (lines: readonly string[], gone: readonly string[]): string[] => {
    const left = [...lines];
    for (const line of gone) {
      const index = left.indexOf(line);
      expect(index).toBeGreaterThanOrEqual(0);
      left.splice(index, 1);
    }
    return left;
  };
});

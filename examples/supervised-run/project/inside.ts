// Files of one folder only. Paths from a model are untrusted: no parent folders, no links, no hidden files.
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const BYTES_MAX = 200_000;
const FILES_MAX = 500;
const LEFT_OUT = new Set(['node_modules', '.git']);

/** The text of one file. */
export const readInside = async (folder: string, path: string): Promise<string> => {
  const place = await placeOf(folder, path);
  const { isFile, size } = await kindOf(place);
  if (!isFile) throw new Error(`There is no file ${path}`);
  if (size > BYTES_MAX) throw new Error(`${path} is larger than ${BYTES_MAX} bytes`);
  const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
};

/** Writes one whole file, and creates its folders. */
export const writeInside = async (folder: string, path: string, text: string): Promise<void> => {
  if (Buffer.byteLength(text) > BYTES_MAX) {
    throw new Error(`Expected at most ${BYTES_MAX} bytes for ${path}`);
  }
  const place = await placeOf(folder, path);
  const { exists, isFile } = await kindOf(place);
  if (exists && !isFile) throw new Error(`${path} is not a file`);
  await mkdir(dirname(place), { recursive: true });
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  const file = await open(place, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
};

/** The paths of all files, in order. Links and generated folders are left out. */
export const listInside = async (folder: string): Promise<string[]> => {
  const paths: string[] = [];
  const visit = async (path: string): Promise<void> => {
    const entries = await readdir(join(folder, path), { withFileTypes: true });
    for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
      if (LEFT_OUT.has(entry.name) || paths.length >= FILES_MAX) continue;
      const below = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) await visit(below);
      else if (entry.isFile()) paths.push(below);
    }
  };
  await visit('');
  return paths;
};

/** The normal form of a path: './src/a.js' is 'src/a.js'. Refuses paths out of the project. */
export const plainPath = (path: string): string => {
  const parts = path.split('/').filter((part) => part !== '.');
  const isPlain = parts.length > 0 && parts.every(isPlainPart);
  if (!isPlain) throw new Error(`Expected a path inside the project, got ${JSON.stringify(path)}`);
  return parts.join('/');
};

/** Resolves a path, one part at a time: a link anywhere in it is refused. */
const placeOf = async (folder: string, path: string): Promise<string> => {
  let place = folder;
  for (const part of plainPath(path).split('/')) {
    place = join(place, part);
    const { isLink } = await kindOf(place);
    if (isLink) throw new Error(`${path} leads through a link, and links are not followed`);
  }
  return place;
};

/** An absolute path starts with an empty part; a colon or a backslash is special on Windows. */
const isPlainPart = (part: string): boolean =>
  part !== '' && part !== '..' && !LEFT_OUT.has(part) && !/[\\:\0]/.test(part);

interface Kind {
  readonly exists: boolean;
  readonly isLink: boolean;
  readonly isFile: boolean;
  readonly size: number;
}

const kindOf = async (place: string): Promise<Kind> => {
  try {
    const status = await lstat(place);
    const isFile = status.isFile();
    return { exists: true, isLink: status.isSymbolicLink(), isFile, size: status.size };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return { exists: false, isLink: false, isFile: false, size: 0 };
  }
};

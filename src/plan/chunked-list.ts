import type { ChunkedList } from '../model/progress.js';

/** Near the square root of the largest plans (100,000 steps), where chunk and spine cost the same. */
const CHUNK_LENGTH = 256;

export const chunkedListOf = <Item>(items: readonly Item[]): ChunkedList<Item> => {
  const chunks: Item[][] = [];
  for (let start = 0; start < items.length; start += CHUNK_LENGTH) {
    chunks.push(items.slice(start, start + CHUNK_LENGTH));
  }
  return chunks;
};

export const itemAt = <Item>(list: ChunkedList<Item>, index: number): Item | undefined =>
  list[Math.floor(index / CHUNK_LENGTH)]?.[index % CHUNK_LENGTH];

/** The list with one item replaced; an index outside the list changes nothing. */
export const withItem = <Item>(
  list: ChunkedList<Item>,
  index: number,
  item: Item,
): ChunkedList<Item> => {
  const chunkIndex = Math.floor(index / CHUNK_LENGTH);
  const chunk = list[chunkIndex];
  if (chunk === undefined || index % CHUNK_LENGTH >= chunk.length) return list;
  const nextChunk = chunk.slice();
  nextChunk[index % CHUNK_LENGTH] = item;
  const next = list.slice();
  next[chunkIndex] = nextChunk;
  return next;
};

export const itemsOf = <Item>(list: ChunkedList<Item>): Item[] => list.flat();

/* Checks a ranking. It shares no code with its construction: it only compares edges and numbers. */

export interface RankedEdge {
  readonly from: number;
  readonly to: number;
  /** `nudge` costs a person one command; `inner` lowers the rank of a step; any other must lower the rank itself. */
  readonly kind: 'answer' | 'timer' | 'nudge' | 'inner';
}

export interface RankingVerdict {
  readonly isValid: boolean;
  readonly checked: number;
  /** The first edge that does not lower the rank. */
  readonly culprit: RankedEdge | undefined;
}

/**
 * Valid when ranks are whole numbers from 0, every answer and every timer leads to a lower one, and a step's own moves
 * never lead to a higher one. Between two nudges of a person a run then makes at most as many moves as its rank.
 */
export const checkRanking = (
  ranks: readonly number[],
  edges: Iterable<RankedEdge>,
): RankingVerdict => {
  let checked = 0;
  for (const edge of edges) {
    checked += 1;
    if (!isDescending(ranks[edge.from], ranks[edge.to], edge.kind)) {
      return { isValid: false, checked, culprit: edge };
    }
  }
  return { isValid: ranks.every(isRank), checked, culprit: undefined };
};

const isRank = (rank: number): boolean => Number.isInteger(rank) && rank >= 0;

const isDescending = (
  from: number | undefined,
  to: number | undefined,
  kind: RankedEdge['kind'],
): boolean => {
  if (from === undefined || to === undefined) return false;
  if (kind === 'nudge') return true;
  return kind === 'inner' ? to <= from : to < from;
};

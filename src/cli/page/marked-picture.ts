import type { ChartCoverage } from '../../proof/paths/paths.types.js';
import { partsOf } from '../coverage.js';

/*
 * The picture of a chart with a mark on everything that a policy never reaches. Our pictures have one element per line,
 * and each names the state of a shape or the states that a wire links.
 */

const MARK = ' data-unreached=""';

export const markedPicture = (
  svg: string,
  { missing, missingStates }: ChartCoverage,
  transitions: readonly string[],
): string => {
  const unreached = new Set(missingStates);
  const untaken = new Set(missing);
  const links = linksOf(transitions.filter((name) => !untaken.has(name)));
  const isTaken = (source: string, target: string): boolean =>
    source.endsWith('/initial') ? !unreached.has(target) : links.has(`${owner(source)} ${target}`);
  let target = '';
  return svg
    .split('\n')
    .map((line) => {
      target = attribute(line, 'data-target') ?? target;
      const state = attribute(line, 'data-state');
      if (state !== undefined) return unreached.has(owner(state)) ? marked(line) : line;
      const source = attribute(line, 'data-source');
      if (source !== undefined) return isTaken(source, target) ? line : marked(line);
      return line.startsWith('<g class="wires') && unreached.has(target) ? marked(line) : line;
    })
    .join('\n');
};

/** `step.performing/anywhere` stands for all of `step.performing`. */
const owner = (id: string): string => id.split('/')[0] ?? id;

const linksOf = (transitions: readonly string[]): ReadonlySet<string> =>
  new Set(
    transitions.flatMap((name) => {
      const { source, targets } = partsOf(name);
      return targets.map((target) => `${source} ${target}`);
    }),
  );

const attribute = (line: string, name: string): string | undefined =>
  new RegExp(` ${name}="([^"]*)"`).exec(line)?.[1];

const marked = (line: string): string => line.replace(/(\/?>)$/, `${MARK}$1`);

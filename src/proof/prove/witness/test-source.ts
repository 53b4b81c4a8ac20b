import { stableStringify } from '../../../canonical-json.js';
import type { JsonValue } from '../../../canonical-json.js';
import type { Settings } from '../../../model/settings.js';
import type { Counterexample, Rule, Way, WayMove, Witness } from '../prove.types.js';

/** A violation and its path. */
type Told = Pick<Counterexample, 'rule' | 'message' | 'witness'> & {
  /** The expectation of the test, where the rule alone does not decide it. */
  readonly expectation?: string;
};

/** A complete test that replays the path and fails as long as the counterexample exists. */
export const testSource = (
  { policy, team }: Settings,
  { rule, message, witness, expectation = EXPECTATIONS[rule] }: Told,
): string => {
  const hasFallbacks = team.fallbacks.length > 0;
  const shown = COSTS.has(rule) ? witness : withoutParts(witness);
  return [
    `import { expect, test } from 'vitest';`,
    `import { ${hasFallbacks ? 'defineAgent, ' : ''}definePolicy } from 'planwright';`,
    `import { replayWitness } from 'planwright/testing';`,
    '',
    `const policy = definePolicy({`,
    ...Object.entries(policy).map(([group, values]) => `  ${group}: ${text(values)},`),
    `});`,
    `const options = {`,
    `  agents: [${team.agents.map((name) => agentText(name, team.fallbacks)).join(', ')}],`,
    `  planner: ${team.hasPlanner},`,
    `  supervisor: ${team.hasSupervisor},`,
    `  tester: ${team.hasTester},`,
    `  summarizer: ${team.hasSummarizer},`,
    `};`,
    '',
    `test(${text(message)}, () => {`,
    `  const replayed = replayWitness(policy, options, {`,
    ...wayLines(shown, '    '),
    ...partLines(shown),
    `  });`,
    `  ${expectation}`,
    `});`,
    '',
  ].join('\n');
};

/** The cost of child charts matters only for rules about cost. */
const COSTS: ReadonlySet<Rule> = new Set<Rule>(['finite cost', 'price tag']);

const withoutParts = ({ moves, ...witness }: Witness): Witness => ({
  ...witness,
  moves: moves.map(({ sentence, kind, input }) => ({ sentence, kind, input })),
  parts: {},
});

const text = (value: unknown): string => stableStringify(value as JsonValue);

/** A proof does not call agents, but their fallbacks count. */
const agentText = (name: string, fallbacks: readonly string[]): string =>
  fallbacks.includes(name)
    ? `defineAgent({ name: ${text(name)}, description: 'Any', run: () => 'done', fallback: () => 'done' })`
    : text(name);

const wayLines = ({ system, moves }: Way, indent: string): string[] => [
  `${indent}system: ${text(system)},`,
  `${indent}moves: [`,
  ...moves.map((move) => `${indent}  ${moveText(move)},`),
  `${indent}],`,
];

/** The parts for people come first. */
const moveText = ({ sentence, kind, parts, input }: WayMove): string => {
  const relied = parts === undefined ? '' : ` parts: ${text(parts)},`;
  return `{ sentence: ${text(sentence)}, kind: '${kind}',${relied} input: ${text(input)} }`;
};

const partLines = ({ parts }: Witness): string[] => {
  const ways = Object.entries(parts);
  if (ways.length === 0) return [];
  return [
    '    parts: {',
    ...ways.flatMap(([name, way]) => [
      `      ${text(name)}: {`,
      ...wayLines(way, '        '),
      '      },',
    ]),
    '    },',
  ];
};

const NO_VIOLATION = 'expect(replayed.violations).toEqual([]);';

const EXPECTATIONS: Readonly<Record<Rule, string>> = {
  termination: 'expect(replayed.isCircular).toBe(false);',
  'finite cost': 'expect(replayed.isCostlyCircle).toBe(false);',
  'price tag': NO_VIOLATION,
  bound: NO_VIOLATION,
  deadline: NO_VIOLATION,
  rejection: NO_VIOLATION,
  crash: NO_VIOLATION,
};

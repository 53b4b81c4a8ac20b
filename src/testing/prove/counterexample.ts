import { stableStringify } from '../../canonical-json.js';
import type { KernelInput } from '../../kernel/kernel.types.js';
import type { Settings } from '../../machines/settings.types.js';
import type { Rule } from './prove.types.js';

/** What is wrong; `contract` where it was found in one chart on its own. */
interface Told {
  readonly rule: Rule | 'contract';
  readonly message: string;
  readonly expectation?: string;
}

/** A test that replays the way and fails while the counterexample stands. */
export const testSource = (
  { policy, team }: Settings,
  { rule, message, expectation = expectationOf(rule) }: Told,
  inputs: readonly KernelInput[],
): string => {
  const options = {
    agents: team.agents,
    planner: team.hasPlanner,
    supervisor: team.hasSupervisor,
    tester: team.hasTester,
    summarizer: team.hasSummarizer,
  };
  return [
    `import { expect, test } from 'vitest';`,
    `import { definePolicy } from 'planwright';`,
    `import { ${rule === 'contract' ? 'prove' : 'replayInputs'} } from 'planwright/testing';`,
    '',
    `const policy = definePolicy(${text(policy)});`,
    `const options = ${text(options)};`,
    ...(rule === 'contract' ? [] : [`const inputs = ${text(inputs)};`]),
    '',
    `test(${text(message)}, () => {`,
    ...(rule === 'contract'
      ? []
      : ['  const run = replayInputs(policy, options, inputs as never);']),
    `  ${expectation}`,
    `});`,
    '',
  ].join('\n');
};

const text = (value: unknown): string => stableStringify(value as never);

const expectationOf = (rule: Told['rule']): string => {
  switch (rule) {
    case 'contract':
      return 'expect(prove(policy, options).counterexample).toBeNull();';
    case 'termination':
    case 'finite cost':
      return 'expect(run.isCircular).toBe(false);';
    case 'crash':
      return `expect(run.status).not.toBe('error');`;
    case 'price tag':
    case 'bound':
    case 'deadline':
    case 'rejection':
      return 'expect(run.violations).toEqual([]);';
  }
};

import { stableStringify } from '../../canonical-json.js';
import type { KernelInput } from '../../kernel/kernel.types.js';
import type { Settings } from '../../machines/settings.types.js';
import type { Refutation } from './analysis.js';
import type { Rule } from './prove.types.js';

/** A test that replays the way and fails while the counterexample stands. */
export const testSource = (
  { policy, team }: Settings,
  { rule, message, expectation = expectationOf(rule) }: Omit<Refutation, 'edges'>,
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
    `import { replayInputs } from 'planwright/testing';`,
    '',
    `const policy = definePolicy(${text(policy)});`,
    `const options = ${text(options)};`,
    `const inputs = ${text(inputs)};`,
    '',
    `test(${text(message)}, () => {`,
    `  const run = replayInputs(policy, options, inputs as never);`,
    `  ${expectation}`,
    `});`,
    '',
  ].join('\n');
};

const text = (value: unknown): string => stableStringify(value as never);

const expectationOf = (rule: Rule): string => {
  switch (rule) {
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

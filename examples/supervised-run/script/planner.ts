import type { ScriptedAnswer } from '../scripted-server.js';
import type { Conversation } from './conversation.js';

/** The planner reads the files and the tests, then plans. For a replan it uses the results so far. */
export const plannerSays = (conversation: Conversation): ScriptedAnswer => {
  if (conversation.data('requests') !== undefined) return { json: nextPlan(conversation) };
  return conversation.turn === 0
    ? {
        toolCalls: [
          { name: 'list_files', arguments: {} },
          { name: 'run_tests', arguments: {} },
        ],
      }
    : { json: firstPlan(conversation) };
};

const step = (
  id: string,
  agent: string,
  task: string,
  dependsOn: readonly string[],
): Record<string, unknown> => ({
  id,
  agent,
  task,
  dependsOn,
  complexity: 'simple',
  reason: null,
  requiresApproval: false,
});

/** One step for every failing test file, in the order of its imports, and a review. */
const firstPlan = (conversation: Conversation): unknown => {
  const { failures } = conversation.toolResult('run_tests') as { failures: string[] };
  const names = ['money', 'cart', 'receipt'].filter((name) =>
    failures.some((failure) => failure.startsWith(`test/${name}.test.js`)),
  );
  const fixes = names.map((name, index) =>
    step(
      `fix-${name}`,
      'coder',
      `Make test/${name}.test.js pass: find and fix the bug in src/${name}.js`,
      names.slice(0, index).map((earlier) => `fix-${earlier}`),
    ),
  );
  const review = 'Review all changes in src and check that every test passes';
  return {
    analysis: `${failures.length} tests fail in ${names.length} files. Each file is tested on its own, so each gets a step.`,
    scope: 'simple',
    successCriteria: 'All tests pass and none was changed',
    steps: [
      ...fixes,
      step(
        'review',
        'reviewer',
        review,
        names.map((name) => `fix-${name}`),
      ),
    ],
  };
};

const nextPlan = (conversation: Conversation): unknown => {
  const requests = conversation.data('requests') as readonly { readonly reason: string }[];
  if (!requests.some(({ reason }) => reason.includes('src/discount.js'))) {
    throw new Error('The script has no plan for this request');
  }
  return {
    analysis:
      'src/cart.js is right; the wrong totals come from src/discount.js, which no step has touched.',
    scope: 'simple',
    successCriteria: 'All tests pass and none was changed',
    steps: [
      step(
        'fix-discount',
        'coder',
        'Make test/cart.test.js pass: fix the limits and their order in src/discount.js',
        ['fix-money'],
      ),
      step(
        'fix-lines',
        'coder',
        'Make test/receipt.test.js pass: a line in src/receipt.js shows what all pieces cost',
        ['fix-discount'],
      ),
      step('review-all', 'reviewer', 'Review all changes in src and check that every test passes', [
        'fix-money',
        'fix-discount',
        'fix-lines',
      ]),
    ],
  };
};

import type { ScriptedAnswer } from '../scripted-server.js';
import { reading } from './answers.js';
import type { Conversation } from './conversation.js';
import { fileIn } from './conversation.js';

/** The fix plan for failed tests. */
export const testerSays = (conversation: Conversation): ScriptedAnswer => {
  const { failures } = conversation.data('output') as { readonly failures: readonly string[] };
  const path = 'src/money.js';
  if (!failures.some((failure) => failure.startsWith('test/money.test.js'))) {
    throw new Error(`The tester has no words for: ${failures.join('; ')}`);
  }
  if (conversation.turn === 0) return reading(path);
  const culprit = fileIn(conversation, path).includes('Math.ceil(') ? 'Math.ceil' : 'The rounding';
  const fixPlan = {
    summary: `${culprit} turns the tiny error of 1.10 * 100 into a whole cent.`,
    steps: [
      'In src/money.js, use Math.round in parseAmount: it forgives errors on both sides',
      'Run the tests before you report',
    ],
  };
  return { json: { passed: false, failures, fixPlan } };
};

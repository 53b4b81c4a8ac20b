import type { ScriptedAnswer } from '../scripted-server.js';
import { edited, reading, testing, writing } from './answers.js';
import type { Conversation } from './conversation.js';
import { fileIn } from './conversation.js';

/** The coder follows its task. Its first fix of the money code is wrong. */
export const coderSays = (conversation: Conversation): ScriptedAnswer => {
  const task = String(conversation.data('task'));
  const isFix =
    conversation.data('feedback') !== undefined && conversation.question.includes('fix plan');
  if (task.includes('src/money.js'))
    return isFix ? roundsToNearest(conversation) : roundsUp(conversation);
  if (task.includes('src/cart.js')) return findsAnotherCause(conversation);
  if (task.includes('src/discount.js')) return fixesDiscount(conversation);
  if (task.includes('src/receipt.js')) return fixesReceipt(conversation);
  throw new Error(`The coder has no words for: ${task}`);
};

const done = (path: string, summary: string, confidence: number): ScriptedAnswer => ({
  json: { report: { kind: 'done', output: { summary, files: [path], tests: [] }, confidence } },
});

/** The wrong fix: two tests pass then, and one that passed before fails. */
const roundsUp = (conversation: Conversation): ScriptedAnswer => {
  const path = 'src/money.js';
  if (conversation.turn === 0) return reading(path, 'test/money.test.js');
  if (conversation.turn === 1) {
    return writing(path, edited(fileIn(conversation, path), 'Math.floor(', 'Math.ceil('));
  }
  const summary = 'parseAmount cut cents off (19.99 became 1998); it rounds up now.';
  return done(path, summary, 0.75);
};

const roundsToNearest = (conversation: Conversation): ScriptedAnswer => {
  const path = 'src/money.js';
  if (conversation.turn === 0) return reading(path);
  if (conversation.turn === 1) {
    return writing(path, edited(fileIn(conversation, path), 'Math.ceil(', 'Math.round('));
  }
  if (conversation.turn === 2) return testing();
  const summary =
    'parseAmount rounds to the nearest cent: 19.99 * 100 is a bit below 1999, 1.10 * 100 a bit above 110.';
  return done(path, summary, 0.95);
};

/** The plan does not match the code, so the coder asks for another plan. */
const findsAnotherCause = (conversation: Conversation): ScriptedAnswer => {
  if (conversation.turn === 0) {
    return reading('src/cart.js', 'src/discount.js', 'test/cart.test.js');
  }
  if (!fileIn(conversation, 'src/discount.js').includes('if (cents > 50_00) return 5;')) {
    throw new Error('src/discount.js is not what the coder has words for');
  }
  return {
    json: {
      report: {
        kind: 'requestReplan',
        reason:
          'src/cart.js is right. The wrong totals come from src/discount.js: it asks for 50.00 before 100.00, so nobody gets 10 %, and it leaves out exactly 50.00. No step covers that file, and the receipt prints its result.',
        partial: 'Read src/cart.js and src/discount.js; nothing is changed.',
        confidence: 0.95,
      },
    },
  };
};

const fixesDiscount = (conversation: Conversation): ScriptedAnswer => {
  const path = 'src/discount.js';
  if (conversation.turn === 0) return reading(path);
  if (conversation.turn === 1) {
    const text = edited(
      fileIn(conversation, path),
      '  if (cents > 50_00) return 5;\n  if (cents > 100_00) return 10;\n',
      '  if (cents >= 100_00) return 10;\n  if (cents >= 50_00) return 5;\n',
    );
    return writing(path, text);
  }
  if (conversation.turn === 2) return testing();
  return done(path, 'The larger discount is asked for first, and both limits belong to it.', 0.95);
};

const fixesReceipt = (conversation: Conversation): ScriptedAnswer => {
  const path = 'src/receipt.js';
  if (conversation.turn === 0) return reading(path);
  if (conversation.turn === 1) {
    return writing(path, edited(fileIn(conversation, path), '`, price)', '`, price * quantity)'));
  }
  if (conversation.turn === 2) return testing();
  return done(path, 'A line shows the price of all its pieces, not of one.', 0.95);
};

import type { ScriptedAnswer } from '../scripted-server.js';
import { reading } from './answers.js';
import type { Conversation } from './conversation.js';
import { fileIn } from './conversation.js';

/** The reviewer of the team reads what has changed and has the tests run. */
export const reviewerSays = (conversation: Conversation): ScriptedAnswer => {
  const paths = ['src/money.js', 'src/discount.js', 'src/receipt.js'];
  if (conversation.turn === 0) {
    const calls = paths.map((path) => ({ name: 'read_file', arguments: { path } }));
    return { toolCalls: [...calls, { name: 'run_tests', arguments: {} }] };
  }
  const { tests, failures } = conversation.toolResult('run_tests') as {
    tests: number;
    failures: string[];
  };
  const output = {
    approved: failures.length === 0,
    summary: `${paths.length} small changes, each at its cause; ${tests - failures.length} of ${tests} tests pass.`,
    findings: [
      {
        severity: 'minor',
        place: 'src/money.js, parseAmount',
        problem: "Number also reads '1e3', which no customer writes.",
        suggestion: 'Check the digits before they are read; not part of this goal.',
      },
    ],
  };
  return { json: { report: { kind: 'done', output, confidence: 0.9 } } };
};

interface Verdict {
  readonly score: number;
  readonly reasoning: string;
  readonly issues: readonly string[];
  readonly feedback: string;
}

const verdict = ({ score, reasoning, issues, feedback }: Verdict): ScriptedAnswer => ({
  json: { reasoning, score, issues, feedback },
});

const good = (score: number, reasoning: string): ScriptedAnswer =>
  verdict({ score, reasoning, issues: [], feedback: '' });

export const supervisorSays = (conversation: Conversation): ScriptedAnswer => {
  const subject = /Judge the (?<subject>plan|code|step|goal)\./.exec(conversation.question);
  switch (subject?.groups?.['subject']) {
    case 'plan':
      return good(88, 'Each step can be acted on and names the tests that decide it.');
    case 'code':
      return judgesCode(conversation);
    case 'step':
      return good(92, 'The tests it names pass, and none that has passed fails.');
    case 'goal':
      return good(95, 'The whole suite passes, the tests are as they were, the review agrees.');
    case undefined:
    default:
      throw new Error('The supervisor is asked to judge something unknown');
  }
};

/** Reads the changed files before it judges them. */
const judgesCode = (conversation: Conversation): ScriptedAnswer => {
  const paths = changedFiles(conversation);
  if (paths.length === 0) return good(85, 'There is nothing to read here but the report.');
  if (conversation.turn === 0) return reading(...paths);
  const isRoundedUp = paths.some((path) => fileIn(conversation, path).includes('Math.ceil('));
  if (!isRoundedUp) return good(90, 'A small change at the cause.');
  return verdict({
    score: 64,
    reasoning: 'It may pass, but rounding up is a guess about floating point, not the cause.',
    issues: ['Math.ceil moves the error to the other side, and nobody has run the tests'],
    feedback: 'Run the tests before you report, and say why a number is rounded the way it is.',
  });
};

const changedFiles = (conversation: Conversation): string[] => {
  const outputs = conversation.data('outputs') as readonly { readonly output: unknown }[];
  return outputs.flatMap(({ output }) => {
    if (typeof output !== 'object' || output === null || !('files' in output)) return [];
    return output.files as string[];
  });
};

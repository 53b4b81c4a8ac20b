import type { ScriptedAnswer } from '../scripted-server.js';
import type { Conversation } from './conversation.js';

/** A summary of the outputs of the steps. */
export const summarizerSays = (conversation: Conversation): ScriptedAnswer => {
  const outputs = conversation.data('outputs') as readonly { readonly output: unknown }[];
  const summaries = outputs.flatMap(({ output }) => {
    const isReport = typeof output === 'object' && output !== null && 'summary' in output;
    return isReport ? [`- ${String(output.summary)}`] : [];
  });
  const lines = [
    'The failing tests pass; no test was changed.',
    '',
    ...summaries,
    '',
    "Left for another day: amounts such as '1e3' are still read as numbers.",
  ];
  return { text: lines.join('\n') };
};

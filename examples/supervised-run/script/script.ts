// The answers of the model in the offline run. Their effects are real: files, tests, failures, plans.
import { setTimeout as delay } from 'node:timers/promises';

import type { Script, ScriptedAnswer } from '../scripted-server.js';
import { coderSays } from './coder.js';
import type { Conversation } from './conversation.js';
import { conversationOf } from './conversation.js';
import { plannerSays } from './planner.js';
import { reviewerSays, supervisorSays } from './reviewers.js';
import { summarizerSays } from './summary.js';
import { testerSays } from './tester.js';

/** Answers by the kind of request. `paceMs` delays each answer, so that people can watch. */
export const createScript =
  (paceMs: number): Script =>
  async (request) => {
    await delay(paceMs);
    return answerTo(request.schemaName, conversationOf(request));
  };

const answerTo = (schemaName: string | null, conversation: Conversation): ScriptedAnswer => {
  switch (schemaName) {
    case 'plan':
      return plannerSays(conversation);
    case 'verdict':
      return supervisorSays(conversation);
    case 'test_result':
      return testerSays(conversation);
    case 'report':
      return agentSays(conversation);
    case null:
      return summarizerSays(conversation);
    default:
      throw new Error(`The script has no words for ${schemaName}`);
  }
};

const agentSays = (conversation: Conversation): ScriptedAnswer => {
  if (conversation.system.includes('You are coder,')) return coderSays(conversation);
  if (conversation.system.includes('You are reviewer,')) return reviewerSays(conversation);
  throw new Error('Only the coder and the reviewer have words here');
};

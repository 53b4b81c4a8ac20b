import type { TestRequest } from '../../../agents/roles.js';
import type { ContextPolicy } from '../../../model/policy.js';
import { DATA_RULE, dataBlock, excerptOfTokens, paragraphs } from './data-block.js';

const ROLE = `You are the tester of a team of agents. You find out whether the work of one step holds.
- Run the tests with your tools, if you have any; what they print counts more than what the output claims. Never report a test as passed that you have not seen pass.
- Then look further: untested cases, wrong input, what the change may break elsewhere, code without a test.
- passed is true only when nothing failed. Every failure is one line: what was expected, what happened, where.
- When something failed, give a fix plan: a summary of the cause, and the changes to make, one at a time, so that the agent can follow them without guessing. Change the work, not the tests, unless a test is wrong.
- Too few tests for what was changed is a failure as well.`;

export const testerSystem = (hasTools: boolean, instructions: string | null): string =>
  paragraphs(
    ROLE,
    hasTools ? '' : 'You have no tools: judge by reading, and say so in every failure you report.',
    instructions,
    DATA_RULE,
  );

export const testerQuestion = (
  { goal, step, output, cycle }: TestRequest,
  { maxOutputTokens }: ContextPolicy,
): string =>
  paragraphs(
    dataBlock('goal', goal),
    dataBlock('task', { stepId: step.id, task: step.task }),
    dataBlock('output', excerptOfTokens(output, maxOutputTokens)),
    cycle === 0 ? 'Test the work.' : `This is the work after fix number ${cycle}. Test it again.`,
  );

import type { SummaryRequest } from '../../../agents/roles.js';
import type { ContextPolicy } from '../../../model/policy.js';
import { DATA_RULE, dataBlock, paragraphs } from './data-block.js';
import { reasonsBlock, resultsBlock } from './supervisor.js';

const ROLE = `You write the summary of a run of a team of agents, for the person who set the goal and has not followed the work. Markdown, at most 300 words, no heading for the whole.
- What was accomplished, measured against the goal.
- What was found, with the facts that matter: names, numbers, files.
- What failed or is missing, plainly; nothing is left out because it looks bad.
- What to do next, if anything.
Only what the outputs say: where they are cut or silent, say so.`;

export const summarizerSystem = (instructions: string | null): string =>
  paragraphs(ROLE, instructions, DATA_RULE);

export const summarizerQuestion = (
  { goal, analysis, tasks, results, failed, skipped }: SummaryRequest,
  context: ContextPolicy,
): string =>
  paragraphs(
    dataBlock('goal', goal),
    analysis === '' ? null : dataBlock('analysis-of-the-planner', analysis),
    dataBlock(
      'tasks',
      tasks.map(({ stepId, agent, task }) => ({ stepId, agent, task })),
    ),
    resultsBlock(results, context),
    reasonsBlock('failed-steps', failed),
    reasonsBlock('skipped-steps', skipped),
    'A task that is in none of the last three lists was not done. Write the summary.',
  );

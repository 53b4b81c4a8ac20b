import type { PlanRequest } from '../../../agents/roles.js';
import type { ContextPolicy } from '../../../model/policy.js';
import { conversationBlock, DATA_RULE, dataBlock, excerpt, paragraphs } from './data-block.js';

const ROLE = `You are the planner of a team of agents. You decide which agents work on a goal, in which order, and what each of them is asked to do. You do none of the work yourself.`;

const composition = (agentNames: readonly string[]): string => {
  const lines = COMPOSITIONS.flatMap(({ work, agents }) => {
    const fitting = agents.filter((options) => options.some((name) => agentNames.includes(name)));
    if (fitting.length < agents.length) return [];
    const names = fitting.map((options) => options.find((name) => agentNames.includes(name)));
    return [`- ${work}: ${names.join(', ')}`];
  });
  if (lines.length === 0) return '';
  return `Which agents for which work, in this order:\n${lines.join('\n')}\nCode that changed is always reviewed afterwards. Work on authentication, permissions, secrets or foreign input is reviewed for security too, if there is an agent for it.`;
};

const DEVELOPERS = ['developer', 'coder'] as const;

/** Seed 002's guidelines; those that need an agent outside the team are left out. */
const COMPOSITIONS: readonly {
  readonly work: string;
  readonly agents: readonly (readonly string[])[];
}[] = [
  { work: 'trivial (a typo, a setting)', agents: [DEVELOPERS, ['reviewer']] },
  { work: 'a bug to investigate', agents: [['analyst'], DEVELOPERS, ['reviewer']] },
  { work: 'a clear feature', agents: [['architect'], DEVELOPERS, ['reviewer']] },
  {
    work: 'a complex feature, or a bug with a wide reach',
    agents: [['analyst'], ['architect'], DEVELOPERS, ['reviewer']],
  },
];

const rules = ({ limits }: PlanRequest): string => `How a good plan looks:
- ${limits.maxSteps < 2 ? 'Exactly one step.' : `2 to ${limits.maxSteps} steps, never more than ${limits.maxSteps}; a single step only when there is nothing to divide.`}
- Every step is one atomic task for one agent, in 15 to 200 characters: what to do, and how to tell that it is done.
- Only agents of the list. dependsOn names every step whose output is needed, and nothing else: independent steps run at the same time. No cycles.
- complexity is simple, medium or complex, and honest: bounds may follow from it.
- Where code is written, the same step writes its tests, and writes them first. When several steps change code, the last one runs all tests together.
- requiresApproval only for what cannot be taken back, such as deleting data or publishing.

Check before you answer: the goal is clear and every step can be acted on; every file, step and agent you name exists or is made by an earlier step; the plan is as large as the goal and no larger.`;

/** A rejected plan leaves no revision, only the request for another one. */
const isReplanning = ({ revision, requests }: PlanRequest): boolean =>
  revision > 0 || requests.length > 0;

/** How adopting the plan changes the pending steps: without this a planner plans them twice, or not at all. */
const MERGES: Readonly<Record<PlanRequest['merge'], string>> = {
  replacePending:
    'Your steps replace the pending ones: plan again what is still needed of those, under new ids.',
  replaceAll:
    'Your steps replace the pending ones, and those that were running: plan again what is still needed of them, under new ids.',
  append: 'The pending steps stay, and your steps come after them: plan only what is missing.',
  appendNext: 'The pending steps stay, and your steps come before them: plan only what is missing.',
};

const replanning = (request: PlanRequest): string =>
  !isReplanning(request)
    ? ''
    : `This is not the first plan: the requests say why there has to be another. There are at most ${request.limits.maxReplans} new plans in all.
- See what has been done. Completed steps are kept with their outputs: do not plan them again, depend on them by their id.
- ${MERGES[request.merge]}
- Add agents when the work has grown, leave some out when it has shrunk. Answer every request for more context.
- A step that failed is not repeated as it was: find another way, a smaller step, or another agent.
- Agents that are suggested are a hint, no more.`;

export const plannerSystem = (request: PlanRequest, instructions: string | null): string =>
  paragraphs(
    ROLE,
    composition(request.agents.map(({ name }) => name)),
    rules(request),
    instructions,
    DATA_RULE,
    // The constant part comes first: servers cache the beginning of a prompt, and bill it at less.
    replanning(request),
    request.depth === 0
      ? ''
      : 'The goal is one step of a larger plan, on which its agent was stuck: divide it into smaller steps.',
  );

/** The planner's knowledge: the goal, the team, and on a replan everything since the first plan. */
export const plannerQuestion = (request: PlanRequest, context: ContextPolicy): string =>
  paragraphs(
    dataBlock('goal', request.goal),
    dataBlock(
      'agents',
      request.agents.map(({ name, description }) => ({ name, description })),
    ),
    conversationBlock(request.conversation, context),
    isReplanning(request) ? progress(request, context) : null,
    request.issues.length === 0
      ? null
      : `Your last plan was refused. What is wrong with it:\n${dataBlock(
          'issues',
          request.issues.map(({ code, path, message }) => ({ code, path, message })),
        )}`,
    isReplanning(request) ? 'Make the next plan.' : 'Make the plan.',
  );

const progress = (
  { analysis, completed, failed, pending, requests }: PlanRequest,
  { summaryCharacters }: ContextPolicy,
): string =>
  paragraphs(
    analysis === '' ? null : dataBlock('analysis', excerpt(analysis, summaryCharacters)),
    dataBlock(
      'completed-steps',
      completed.map(({ stepId, agent, output }) => ({
        stepId,
        agent,
        output: excerpt(output, summaryCharacters),
      })),
    ),
    dataBlock(
      'failed-steps',
      failed.length === 0
        ? 'none'
        : failed.map(({ stepId, agent, reason }) => ({
            stepId,
            agent,
            reason: excerpt(reason, summaryCharacters),
          })),
    ),
    dataBlock(
      'pending-steps',
      pending.map(({ stepId, agent, task }) => ({ stepId, agent, task })),
    ),
    dataBlock(
      'requests',
      requests.map(({ kind, stepId, agent, reason, agents }) => ({
        kind,
        stepId,
        agent,
        reason,
        suggestedAgents: agents,
      })),
    ),
  );

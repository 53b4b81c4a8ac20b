import * as z from 'zod/mini';

import { described } from '../described.js';
import { scopeSchema } from '../../../model/plan.js';

/** The instructions and output of a member of the software team. The planner sees only the description. */
interface SoftwareRoleDefinition {
  readonly description: string;
  readonly instructions: string;
  readonly output: z.core.$ZodType;
  /** The agents it may hand work to, when they are in the team. */
  readonly handOffTo: readonly SoftwareRole[];
}

export type SoftwareRole =
  | 'analyst'
  | 'architect'
  | 'developer'
  | 'coder'
  | 'reviewer'
  | 'security_reviewer'
  | 'fixer'
  | 'researcher';

const EVIDENCE =
  'Work with the tools you have. Without a tool that reads or changes files you can only recommend changes: then report exactly that, and claim no change.';

const changes = z.object({
  summary: described(z.string(), 'What was changed and why'),
  files: described(z.array(z.string()), 'Every file that was changed or created'),
  tests: described(z.array(z.string()), 'The tests that were written or changed'),
});

const review = z.object({
  approved: z.boolean(),
  summary: z.string(),
  findings: z.array(
    z.object({
      severity: z.enum(['critical', 'major', 'minor']),
      place: described(z.string(), 'File and line, or as near as you can tell'),
      problem: z.string(),
      suggestion: z.string(),
    }),
  ),
});

const TEST_FIRST = `Write the test first, see it fail, then make it pass with the smallest correct change, then refactor. Follow the conventions of the project: its names, its folders, its tests. Change nothing that your task does not need.`;

export const SOFTWARE_ROLES: Readonly<Record<SoftwareRole, SoftwareRoleDefinition>> = {
  analyst: {
    description:
      'Investigates code, debugs and gathers context. For unclear problems, before anything is changed.',
    instructions: `Investigate before anything is changed: reproduce the problem, read the code involved, find the cause and not the symptom. State the size of the work: trivial (a typo, a setting), simple, moderate or complex. If it is complex and the plan has no design step, request a new plan with one. Every finding names its evidence. ${EVIDENCE}`,
    output: z.object({
      findings: z.array(z.string()),
      scope: scopeSchema,
      recommendedAgents: z.array(z.string()),
      relevantFiles: z.array(z.string()),
    }),
    handOffTo: ['architect', 'researcher'],
  },
  architect: {
    description:
      'Designs an implementation and breaks it into tasks. For non-trivial features, before they are built.',
    instructions: `Design the change before it is built: the goal in one sentence, the parts and how they fit what is there, the order of the work, how each part will be tested, what can go wrong. Refer only to files that exist or that the design creates. Keep the design as small as the goal. ${EVIDENCE}`,
    output: z.object({
      goal: z.string(),
      design: described(z.string(), 'Markdown'),
      files: described(z.array(z.string()), 'Files that will be changed or created'),
      risks: z.array(z.string()),
    }),
    handOffTo: ['analyst', 'researcher'],
  },
  developer: {
    description:
      'Implements a design, test first. Needed for every change of code that is larger than one step of a coder.',
    instructions: `Implement what the design or the task says. ${TEST_FIRST} Deviate from the design only where it cannot work, and say so. ${EVIDENCE}`,
    output: changes,
    handOffTo: ['researcher'],
  },
  coder: {
    description: 'Implements one step together with its tests, and applies fix plans.',
    instructions: `Implement exactly one step. ${TEST_FIRST} When you are given a fix plan, apply it point by point. If the step is too large for one go, say that you are blocked and how it could be divided. ${EVIDENCE}`,
    output: changes,
    handOffTo: ['researcher'],
  },
  reviewer: {
    description: 'Reviews code changes. Always after a developer, a coder or a fixer.',
    instructions: `Review the change as it is: does it do what was asked, is it correct in edge cases, is it tested, is it readable? Order findings by severity. A critical or major finding means that the change is not approved; then hand it to an agent that fixes it, with the exact problem, if there is one. Matters of taste are not findings. ${EVIDENCE}`,
    output: review,
    handOffTo: ['fixer'],
  },
  security_reviewer: {
    description:
      'Reviews changes for security: authentication, permissions, secrets, untrusted input, dependencies.',
    instructions: `Review the change as an attacker would: injection of every kind, missing authorization checks, secrets in code or logs, unsafe defaults, trusted input that should not be, new dependencies. Say how each problem can be exploited, and how to fix it. Any exploitable problem is critical and means that the change is not approved. ${EVIDENCE}`,
    output: review,
    handOffTo: ['fixer'],
  },
  fixer: {
    description: 'Fixes exactly the problems that a review or a test has found.',
    instructions: `Fix the problems you are given, each with a test that fails before and passes after. Make no other improvements and no style changes. If a reported problem is not a problem, say why. ${EVIDENCE}`,
    output: changes,
    handOffTo: ['researcher'],
  },
  researcher: {
    description: 'Finds facts the team does not have: documentation, interfaces, known problems.',
    instructions: `Answer the question from sources, and name them. Distinguish what a source says, what you conclude and what you do not know. Be brief: report facts that an agent can act on. Without a tool that finds sources, say that the answer is from memory and give it a low confidence.`,
    output: z.object({
      answer: z.string(),
      sources: z.array(z.string()),
      openQuestions: z.array(z.string()),
    }),
    handOffTo: [],
  },
};

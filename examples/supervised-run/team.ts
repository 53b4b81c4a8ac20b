// The team: the software team of `planwright/openai` with tools for one folder, and real tests.
import type { Orchestrator } from '../../src/index.js';
import type { RunStore } from '../../src/services/stores/index.js';
import { createOrchestrator, presets } from '../../src/index.js';
import type { ConnectionOptions, OpenAiTool } from '../../src/services/openai/index.js';
import { softwareTeam } from '../../src/services/openai/index.js';
import { checkingGoal } from './test-run/goal-check.js';
import type { TestRun } from './test-run/run-tests.js';
import { runningTester } from './test-run/tester.js';
import type { ProjectTools } from './tools.js';
import { projectTools } from './tools.js';

export interface TeamOptions {
  readonly connection: ConnectionOptions & { readonly model: string };
  readonly structuredOutputs: 'schema' | 'json';
  /** The copy of the project. */
  readonly folder: string;
  /** Its test results before the run. */
  readonly before: TestRun;
  readonly isProtected: (path: string) => boolean;
  readonly limitMs: number;
  readonly store?: RunStore;
}

const ROLES = ['analyst', 'coder', 'reviewer', 'fixer'] as const;

const KEEP_TESTS =
  'The tests define the expected behaviour. Do not change them; find the defect in the code.';

/** Instructions for all agents and roles, besides those of their role. */
const INSTRUCTIONS = {
  planner:
    'Look at the project and run its tests first. Every task that changes code names the test file that passes when it is done, as in test/a.test.js: the tester checks the step by exactly these files. No person answers questions during this run: requiresApproval is false everywhere.',
  coder: KEEP_TESTS,
  fixer: KEEP_TESTS,
  tester:
    'The tests have just been run: `failures` in the output are their failures, and `work` is the output of the agent. Write the fix plan. Repeat the failures as they are.',
} as const;

export const createTeam = (options: TeamOptions): Orchestrator => {
  const { connection, structuredOutputs, folder, before, isProtected, limitMs, store } = options;
  const tools = toolsByRole(projectTools(folder, { isProtected }));
  const team = softwareTeam({
    ...connection,
    structuredOutputs,
    roles: ROLES,
    tools,
    instructions: INSTRUCTIONS,
  });
  return createOrchestrator({
    ...team,
    ...(store === undefined ? {} : { store }),
    supervisor: checkingGoal(folder, team.supervisor),
    tester: runningTester({ folder, before, adviser: team.tester }),
    policy: presets.supervised({
      limits: {
        maxReplans: 2,
        maxDepth: 1,
        maxAttempts: 2,
        maxFixCycles: 2,
        maxSteps: 8,
        maxAgentCalls: 80,
        maxTokens: 1_000_000,
      },
      time: { limitMs },
      // There is no person to answer, so approvals time out quickly.
      approval: { maxQuestions: 0, timeoutMs: 1_000, onTimeout: 'reject' },
    }),
  });
};

const toolsByRole = ({
  listFiles,
  readFile,
  writeFile,
  runTests,
}: ProjectTools): Record<
  (typeof ROLES)[number] | 'planner' | 'supervisor' | 'tester',
  OpenAiTool[]
> => {
  const reading = [listFiles, readFile];
  const looking = [...reading, runTests];
  const changing = [...reading, writeFile, runTests];
  return {
    planner: looking,
    analyst: looking,
    coder: changing,
    reviewer: looking,
    fixer: changing,
    tester: reading,
    supervisor: reading,
  };
};

import { AzureOpenAI, OpenAI } from 'openai';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';

import type { Agent, JsonValue, Planner, Summarizer, Supervisor, Tester } from '../../src/index.js';
import { createOrchestrator, defineAgent, presets } from '../../src/index.js';
import type {
  OpenAiAnswerCode,
  OpenAiTool,
  SoftwareRole,
} from '../../src/services/openai/index.js';
import {
  OpenAiAnswerError,
  openaiAgent,
  openaiPlanner,
  openaiSummarizer,
  openaiSupervisor,
  openaiTester,
  openaiTool,
  softwareTeam,
} from '../../src/services/openai/index.js';

/* What the compiler infers and rejects. Checked by `npm run typecheck`; nothing here is ever run. */

const model = 'any-model';

// ---- Tools ------------------------------------------------------------------------------------

const readFile = openaiTool({
  name: 'read_file',
  description: 'Reads a file',
  parameters: z.object({ path: z.string(), lines: z.number().optional() }),
  run: (parameters, call) => {
    expectTypeOf(parameters).toEqualTypeOf<{ path: string; lines?: number | undefined }>();
    expectTypeOf(call.signal).toEqualTypeOf<AbortSignal>();
    return 'text';
  },
});
expectTypeOf(readFile).toEqualTypeOf<OpenAiTool>();

// A plain object is accepted as well, when it declares its parameters.
const plainTool: OpenAiTool = {
  name: 'plain',
  description: 'Plain',
  parameters: z.object({ path: z.string() }),
  run: ({ path }: { path: string }) => path,
};

openaiTool({
  name: 'wrong',
  description: 'Takes a list',
  // @ts-expect-error the parameters of a tool are an object
  parameters: z.array(z.string()),
  run: () => null,
});

// ---- Agents -----------------------------------------------------------------------------------

const about = { description: 'Works', instructions: 'Work', model } as const;

const worker = openaiAgent({ ...about, name: 'worker', tools: [readFile, plainTool] });
expectTypeOf(worker).toEqualTypeOf<Agent<'worker', never, string, JsonValue>>();

const reviewer = openaiAgent({
  ...about,
  name: 'reviewer',
  output: z.object({ approved: z.boolean() }),
  handOffTo: ['fixer'],
  fallback: () => ({ approved: false }),
});
expectTypeOf(reviewer).toEqualTypeOf<
  Agent<'reviewer', 'fixer', { readonly approved: boolean }, JsonValue>
>();

openaiAgent({
  ...about,
  name: 'reviewer',
  output: z.object({ approved: z.boolean() }),
  // @ts-expect-error the fallback answers for the agent
  fallback: () => ({ approved: 'no' }),
});

// @ts-expect-error an agent has instructions
openaiAgent({ name: 'worker', description: 'Works', model });
// @ts-expect-error a model has a name
openaiPlanner({ client: new OpenAI() });
// @ts-expect-error there is no such mode
openaiPlanner({ model, structuredOutputs: 'xml' });

// ---- Roles fit the orchestrator, whatever the team --------------------------------------------

expectTypeOf(openaiPlanner({ model })).toEqualTypeOf<Planner<never>>();
expectTypeOf(openaiSupervisor({ model })).toEqualTypeOf<Supervisor>();
expectTypeOf(openaiTester({ model })).toEqualTypeOf<Tester>();
expectTypeOf(openaiSummarizer({ model })).toEqualTypeOf<Summarizer>();

const planner = openaiPlanner({ model });
createOrchestrator({ agents: [worker], planner });
createOrchestrator({ agents: [worker], planner: openaiPlanner({ model }) });
createOrchestrator({
  agents: [worker],
  planner: openaiPlanner({ model, client: new AzureOpenAI({ apiVersion: 'v1' }) }),
  policy: presets.dynamic({ approval: { agents: ['worker'] } }),
});
// @ts-expect-error the reviewer may hand off to a fixer, who is not in the team
createOrchestrator({ agents: [reviewer] });

// ---- The software team ------------------------------------------------------------------------

const team = softwareTeam({ model, models: { planner: 'strong' }, tools: { coder: [readFile] } });
expectTypeOf(team.agents[0]!).toEqualTypeOf<Agent<SoftwareRole, SoftwareRole>>();
createOrchestrator({ ...team, policy: presets.supervised() });
createOrchestrator({ ...team, policy: presets.dynamic({ approval: { agents: ['architect'] } }) });
// @ts-expect-error 'nobody' is not in the team
createOrchestrator({ ...team, policy: presets.dynamic({ approval: { agents: ['nobody'] } }) });

const own = defineAgent({ name: 'own', description: 'Mine', run: () => 'done' });
createOrchestrator({ ...team, agents: [...team.agents, own] });

const two = softwareTeam({ model, roles: ['coder', 'reviewer'] });
expectTypeOf(two.agents[0]!.name).toEqualTypeOf<'coder' | 'reviewer'>();
expectTypeOf(two.planner).toEqualTypeOf<Planner<'coder' | 'reviewer'>>();
createOrchestrator(two);

// @ts-expect-error there is no such role
softwareTeam({ model, roles: ['poet'] });
// @ts-expect-error there is no such member
softwareTeam({ model, models: { poet: 'strong' } });

// ---- Errors -----------------------------------------------------------------------------------

declare const thrown: unknown;
if (OpenAiAnswerError.isInstance(thrown)) {
  expectTypeOf(thrown.code).toEqualTypeOf<OpenAiAnswerCode>();
}

import { expectTypeOf } from 'vitest';
import { createActor } from 'xstate';
import { z } from 'zod';
import * as mini from 'zod/mini';

import type {
  Agent,
  AgentCall,
  ApprovalRecord,
  Bounds,
  CommandResult,
  Fact,
  FactType,
  JsonValue,
  OpenApproval,
  Orchestrator,
  PlanRecord,
  PlanRequest,
  Policy,
  Run,
  RunMetrics,
  RunRecord,
  RunReport,
  RunUsage,
  Team,
  VerdictRecord,
  Votes,
} from '../../src/index.js';
import {
  createOrchestrator,
  defineAgent,
  definePolicy,
  done,
  handOff,
  needsContext,
  outputsOf,
  presets,
  requestReplan,
  secret,
  systemClock,
} from '../../src/index.js';
import type { RunStore, StoredRun } from '../../src/services/stores/index.js';
import { memoryStore } from '../../src/services/stores/index.js';
import type { Explanation, RunExplanation, RunReplay } from '../../src/time-travel/index.js';

/* What the compiler infers and rejects. Checked by `npm run typecheck`; nothing here is ever run. */

// ---- Agents -----------------------------------------------------------------------------------

const coder = defineAgent({
  name: 'coder',
  description: 'Writes code',
  output: z.object({ files: z.array(z.string()) }),
  run: (call) => {
    expectTypeOf(call).toEqualTypeOf<AgentCall>();
    expectTypeOf(call.step.vote?.number).toEqualTypeOf<number | undefined>();
    return done({ files: [call.task] }, { confidence: 0.9 });
  },
});
expectTypeOf(coder).toEqualTypeOf<
  Agent<'coder', never, { readonly files: readonly string[] }, JsonValue>
>();

// A schema of zod/mini works the same, and may be marked as secret.
defineAgent({
  name: 'mini',
  description: 'Gives a number',
  output: mini.object({ count: secret(mini.number()) }),
  run: () => done({ count: 1 }),
});
defineAgent({
  name: 'mini',
  description: 'Gives a number',
  // @ts-expect-error a text is not a number
  output: mini.object({ count: secret(mini.number()) }),
  run: () => done({ count: 'one' }),
});

const reviewer = defineAgent({
  name: 'reviewer',
  description: 'Reviews code',
  run: async ({ task }) => {
    if (task === '') return needsContext('Say what to review');
    return handOff({ agent: 'coder', task: 'Fix it' });
  },
});
expectTypeOf(reviewer).toEqualTypeOf<Agent<'reviewer', 'coder', JsonValue, JsonValue>>();

// The output schema flows into done() and into plain values, synchronous or not.
defineAgent({
  name: 'typed',
  description: 'Gives a number',
  output: z.object({ count: z.number() }),
  // @ts-expect-error a text is not a number
  run: () => done({ count: 'one' }),
});
defineAgent({
  name: 'typed',
  description: 'Gives a number',
  output: z.object({ count: z.number() }),
  // @ts-expect-error a text is not a number
  run: async () => ({ count: 'one' }),
});
defineAgent({
  name: 'typed',
  description: 'Gives a number',
  output: z.object({ count: z.number() }),
  run: () => ({ count: 1 }),
  // @ts-expect-error the fallback answers for the agent
  fallback: () => ({ count: 'one' }),
});

// An agent that returns nothing is a mistake; null is an output.
defineAgent({ name: 'silent', description: 'Sends a mail', run: async () => null });
// @ts-expect-error nothing is returned
defineAgent({ name: 'silent', description: 'Sends a mail', run: () => {} });
// @ts-expect-error nothing is returned
defineAgent({ name: 'silent', description: 'Sends a mail', run: async () => {} });
const found = new Map<string, string>();
defineAgent({
  name: 'silent',
  description: 'Looks something up',
  // @ts-expect-error undefined is not JSON
  run: ({ task }) => found.get(task),
});
defineAgent({
  name: 'silent',
  description: 'Looks something up',
  run: ({ task }) => found.get(task) ?? null,
});

// ---- Outputs are typed by the agents' schemas or functions -------------------------------------

interface Notes {
  readonly lines: string[];
  readonly source?: string | undefined;
}
const noting = defineAgent({
  name: 'noting',
  description: 'Takes notes, or asks for more',
  run: async ({ task }): Promise<Notes | ReturnType<typeof needsContext>> =>
    task === '' ? needsContext('Say what to note') : { lines: [task] },
});
const counting = defineAgent({
  name: 'counting',
  description: 'Counts notes, or hands off',
  run: (call: AgentCall<JsonValue, Team<{ noting: Notes }>>) => {
    for (const dependency of call.dependencies) {
      expectTypeOf(dependency.agent).toEqualTypeOf<'noting'>();
      if (dependency.isWhole) expectTypeOf(dependency.output.lines).items.toBeString();
      else expectTypeOf(dependency.output).toEqualTypeOf<JsonValue>();
    }
    const lines = outputsOf(call, 'noting').flatMap((notes) => notes.lines);
    return lines.length > 9 ? handOff({ agent: 'noting', task: 'Less' }) : done(lines.length);
  },
});
const notes = createOrchestrator({ agents: [noting, counting] });
expectTypeOf(notes).toExtend<Orchestrator>();
expectTypeOf(notes.connect).returns.resolves.toExtend<Run>();
void notes.start({ goal: 'Go' }).done.then((report) => {
  expectTypeOf(report).toExtend<RunReport>();
  expectTypeOf(outputsOf(report, 'counting')).toEqualTypeOf<readonly number[]>();
  expectTypeOf(outputsOf(report, 'noting')).items.toHaveProperty('lines');
  // @ts-expect-error 'absent' is not in the team
  outputsOf(report, 'absent');
  for (const step of report.steps) {
    if (step.agent === 'counting' && step.isWhole) expectTypeOf(step.output).toBeNumber();
    if (step.agent === 'noting' && step.isWhole) {
      expectTypeOf(step.output.source).toEqualTypeOf<string | undefined>();
      expectTypeOf(step.output.lines).toEqualTypeOf<readonly string[]>();
    }
  }
});
declare const anyReport: RunReport;
expectTypeOf(outputsOf(anyReport, 'coder')).toEqualTypeOf<readonly JsonValue[]>();

const misled = defineAgent({
  name: 'misled',
  description: 'Expects another output',
  run: (call: AgentCall<JsonValue, Team<{ noting: number }>>) => outputsOf(call, 'noting').length,
});
// @ts-expect-error 'noting' gives notes, not a number
createOrchestrator({ agents: [noting, misled] });
// @ts-expect-error 'noting' is not in the team
createOrchestrator({ agents: [misled] });

// ---- The policy names the team, given in place ------------------------------------------------

createOrchestrator({
  agents: [coder],
  policy: presets.dynamic({ approval: { agents: ['coder'] } }),
});
createOrchestrator({
  agents: [coder],
  // @ts-expect-error 'absent' is not in the team
  policy: presets.dynamic({ approval: { agents: ['absent'] } }),
});

// ---- The team: plans and hand-offs may name only its members -----------------------------------

const orchestrator = createOrchestrator({
  agents: [coder, reviewer],
  planner: (request) => {
    expectTypeOf(request).toEqualTypeOf<PlanRequest>();
    expectTypeOf(request.conversation).toEqualTypeOf<readonly string[]>();
    return { steps: [{ id: 's1', agent: 'coder', task: 'Write it' }] };
  },
  summarizer: ({ analysis, tasks, skipped }) => {
    expectTypeOf(analysis).toBeString();
    expectTypeOf(tasks).items.toHaveProperty('task').toBeString();
    expectTypeOf(skipped).items.toHaveProperty('reason').toBeString();
    return 'All done';
  },
});
type CodingTeam = Team<{ coder: { files: string[] }; reviewer: JsonValue }>;
expectTypeOf(orchestrator).toEqualTypeOf<Orchestrator<CodingTeam>>();

createOrchestrator({
  agents: [coder, reviewer],
  // @ts-expect-error 'absent' is not in the team
  planner: () => ({ steps: [{ id: 's1', agent: 'absent', task: 'Write it' }] }),
});
createOrchestrator({
  agents: [coder, reviewer],
  // @ts-expect-error 'absent' is not in the team
  planner: async () => ({ steps: [{ id: 's1', agent: 'absent', task: 'Write it' }] }),
});

orchestrator.start({
  goal: 'Go',
  plan: { steps: [{ id: 's1', agent: 'reviewer', task: 'Read' }] },
});
const votes: Votes = { count: 3, choose: 'majority' };
orchestrator.start({
  goal: 'Go',
  plan: { steps: [{ id: 's1', agent: 'reviewer', task: 'Read', votes }] },
});
orchestrator.start({
  goal: 'Go',
  // @ts-expect-error there is no such choice
  plan: { steps: [{ id: 's1', agent: 'coder', task: 'Go', votes: { count: 3, choose: 'lot' } }] },
});
// @ts-expect-error 'absent' is not in the team
orchestrator.start({ goal: 'Go', plan: { steps: [{ id: 's1', agent: 'absent', task: 'Read' }] } });
// @ts-expect-error there is no run without a goal
orchestrator.start({ runId: 'run-1' });

const lost = defineAgent({
  name: 'lost',
  description: 'Hands off to an agent outside the team',
  run: () => handOff({ agent: 'absent', task: 'Fix it' }),
});
const asking = defineAgent({
  name: 'asking',
  description: 'Asks for an agent outside the team',
  run: () => requestReplan({ reason: 'Too hard', agents: ['absent'] }),
});
// @ts-expect-error the hand-off of 'reviewer' needs 'coder' in the team
createOrchestrator({ agents: [reviewer] });
// @ts-expect-error the hand-off of 'lost' needs 'absent' in the team
createOrchestrator({ agents: [coder, lost] });
// @ts-expect-error the request of 'asking' needs 'absent' in the team
createOrchestrator({ agents: [coder, asking] });

// ---- Policies ---------------------------------------------------------------------------------

createOrchestrator({
  agents: [coder, reviewer],
  policy: presets.dynamic({ approval: { agents: ['coder'] } }),
});
createOrchestrator({ agents: [coder], policy: presets.fixed() });
createOrchestrator({ agents: [coder], policy: definePolicy({ limits: { maxReplans: 1 } }) });

const shared = presets.supervised();
createOrchestrator({ agents: [coder], policy: shared });
expectTypeOf(shared).toExtend<Policy>();

// @ts-expect-error there is no such option
presets.supervised({ limits: { maxReplan: 1 } });
// @ts-expect-error there is no such choice
definePolicy({ replan: { onLimit: 'explode' } });
// @ts-expect-error null is not a number of replans: every run is bounded
definePolicy({ limits: { maxReplans: null } });
definePolicy({ limits: { maxTokens: null } });
// @ts-expect-error a policy is read-only
shared.limits.maxReplans = 9;

// ---- A run ------------------------------------------------------------------------------------

const run = orchestrator.start({ goal: 'Go' });
expectTypeOf(run).toEqualTypeOf<Run<CodingTeam>>();
expectTypeOf(run).toExtend<Run>();
expectTypeOf(run.done).toEqualTypeOf<Promise<RunReport<CodingTeam>>>();
expectTypeOf(run.facts()).toEqualTypeOf<AsyncIterable<Fact>>();
expectTypeOf(orchestrator.resume('run-1')).toEqualTypeOf<Promise<Run<CodingTeam>>>();
expectTypeOf(orchestrator.recover()).toEqualTypeOf<Promise<readonly Run<CodingTeam>[]>>();
expectTypeOf(orchestrator.bounds()).toEqualTypeOf<Bounds>();

const commands = [
  run.approve('request', 'Yes'),
  run.reject('request', 'No'),
  run.skip(['s1']),
  run.skip(['s1'], 'Done already'),
  run.skipTo('s2'),
  run.skipTo('s2', 'Only the rest counts'),
  run.say('Hello'),
  run.pause(),
  run.unpause(),
  run.extendTime(1_000),
  run.abort('Enough'),
] as const;
expectTypeOf(commands).items.toEqualTypeOf<Promise<CommandResult>>();

// A refusal has a reason; an acceptance has none.
expectTypeOf<Extract<CommandResult, { accepted: false }>['reason']>().toEqualTypeOf<string>();
expectTypeOf<Extract<CommandResult, { accepted: true }>>().not.toHaveProperty('reason');

// ---- Input and labels ---------------------------------------------------------------------------

const ticketSchema = z.object({ id: z.string(), tries: z.number().default(3) });
type Ticket = z.infer<typeof ticketSchema>;
const clerk = defineAgent({
  name: 'clerk',
  description: 'Reads tickets',
  run: ({ input, labels, runId }: AgentCall<Ticket>) => {
    expectTypeOf(input.tries).toEqualTypeOf<number>();
    expectTypeOf(labels).toEqualTypeOf<Readonly<Record<string, string>>>();
    return `${runId} ${input.id}`;
  },
});
const desk = createOrchestrator({
  agents: [clerk, coder],
  input: ticketSchema,
  planner: ({ input }) => {
    expectTypeOf(input).toEqualTypeOf<Ticket>();
    return { steps: [{ id: 's1', agent: 'clerk', task: input.id }] };
  },
  supervisor: ({ input }) => ({ score: input.tries, issues: [], feedback: '' }),
  tester: ({ input }) => ({ passed: input.tries > 0, failures: [] }),
  summarizer: ({ input }) => input.id,
});
desk.start({ goal: 'Go', input: { id: 'T-7' }, labels: { tenant: 'acme' } });
// @ts-expect-error the schema asks for an input
desk.start({ goal: 'Go' });
// @ts-expect-error the id is a text
desk.start({ goal: 'Go', input: { id: 7 } });
// @ts-expect-error labels are texts
desk.start({ goal: 'Go', input: { id: 'T-7' }, labels: { tenant: 7 } });
// @ts-expect-error the agent expects a ticket
createOrchestrator({ agents: [clerk], input: z.object({ name: z.string() }) });
// @ts-expect-error the agent expects a ticket
createOrchestrator({ agents: [clerk] });
// Without a schema any JSON is accepted.
orchestrator.start({ goal: 'Go', input: [1, { two: null }] });
expectTypeOf<AgentCall['input']>().toEqualTypeOf<JsonValue>();

/** How a run ends; a report may also say that this process detached from the run. */
type EndStatus = Exclude<RunReport['status'], 'detached'>;

// ---- Facts narrow by their type ---------------------------------------------------------------

run.subscribe((fact) => {
  expectTypeOf(fact.sequence).toEqualTypeOf<number>();
  expectTypeOf(fact.type).toEqualTypeOf<FactType>();
  if (fact.type === 'approval.requested') {
    expectTypeOf(fact.requestId).toEqualTypeOf<string>();
    expectTypeOf(fact.payload).toEqualTypeOf<JsonValue>();
  }
  if (fact.type === 'run.ended') {
    expectTypeOf(fact.status).toEqualTypeOf<EndStatus>();
  }
  // Only some facts are about a step.
  expectTypeOf(fact).not.toHaveProperty('stepId');
  // @ts-expect-error there is no such fact
  if (fact.type === 'step.exploded') return;
});
expectTypeOf<Fact<'vote.decided'>['winner']>().toEqualTypeOf<number | null>();
expectTypeOf<Fact<'step.failed'>['code']>().toEqualTypeOf<string>();

// ---- Stores, clocks, actors -------------------------------------------------------------------

createOrchestrator({ agents: [coder], store: memoryStore(), clock: systemClock() });

const actor = createActor(orchestrator.machine, { input: { goal: 'Go' }, clock: systemClock() });
// @ts-expect-error the input of the machine is a goal
createActor(orchestrator.machine, { input: {} });
actor.on('plan.adopted', ({ steps }) => {
  expectTypeOf(steps[0]?.id).toEqualTypeOf<string | undefined>();
});
// Facts of steps and calls reach the root, too.
actor.on('agent.answered', ({ output }) => {
  expectTypeOf(output).toEqualTypeOf<JsonValue>();
});
actor.send({ type: 'approval.grant', requestId: 'a:1.1', answer: 'Yes' });
expectTypeOf(actor.getSnapshot().context.questions[0]?.question).toEqualTypeOf<
  string | undefined
>();
actor.send({ type: 'run.abort', reason: 'Enough' });
// @ts-expect-error there is no such event
actor.send({ type: 'run.explode' });
expectTypeOf(actor.getSnapshot().output?.status).toEqualTypeOf<EndStatus | undefined>();

const runActor = createActor(orchestrator.logic, { input: { goal: 'Go' } });
// @ts-expect-error the input of a run has a goal
createActor(orchestrator.logic, { input: {} });
runActor.on('step.completed', ({ stepId, sequence }) => {
  expectTypeOf(stepId).toEqualTypeOf<string>();
  expectTypeOf(sequence).toEqualTypeOf<number>();
});
runActor.send({ type: 'approval.grant', requestId: 'a:1.1', answer: 'Yes' });
// @ts-expect-error there is no such command
runActor.send({ type: 'run.explode' });
expectTypeOf(runActor.getSnapshot().context).toEqualTypeOf<RunRecord>();
expectTypeOf(runActor.getSnapshot().output).toEqualTypeOf<RunReport | undefined>();

// ---- What a screen shows ----------------------------------------------------------------------

const shown = (run: Run): [OpenApproval[], PlanRecord[], VerdictRecord[], ApprovalRecord[]] => {
  const { openApprovals, plans, verdicts, approvals, metrics, usage } = run.record();
  expectTypeOf(metrics).toEqualTypeOf<RunMetrics>();
  expectTypeOf(usage).toEqualTypeOf<RunUsage>();
  return [[...openApprovals], [...plans], [...verdicts], [...approvals]];
};
void shown;

// ---- Entry points for store authors and for time travel -----------------------------------------

const kept: RunStore = memoryStore();
expectTypeOf(kept.read).returns.resolves.toEqualTypeOf<StoredRun | undefined>();
expectTypeOf<Orchestrator['replay']>().returns.resolves.toEqualTypeOf<RunReplay>();
declare const explaining: Orchestrator;
expectTypeOf(explaining.explain('run', 'step')).resolves.toEqualTypeOf<Explanation>();
expectTypeOf(explaining.explain('run')).resolves.toEqualTypeOf<RunExplanation>();

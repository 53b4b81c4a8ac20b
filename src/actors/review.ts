import { checked } from '../model/check.js';
import type { TestResult } from '../agents/verdict.js';
import { verdictSchema } from '../agents/verdict.js';
import type { CallOutcome, SupervisorRequest } from '../model/calls.js';
import { answered, bounded, failed, schemaMessage, usageIn } from './outcome.js';
import { dependenciesOf, handedOutput } from './references.js';
import type { Callable, CallSurroundings, OutputLookup } from './team.types.js';

/** Asks the supervisor for a verdict. A verdict whose score is not a number from 0 to 100 is rejected. */
export const review = async (
  team: Callable,
  request: SupervisorRequest,
  key: string,
  { run, signal, outputs }: CallSurroundings,
): Promise<CallOutcome> => {
  if (team.supervisor === undefined) return failed('unknown-agent', 'There is no supervisor');
  const value: unknown = await team.supervisor({
    ...run,
    goal: request.goal,
    depth: request.depth,
    subject: request.subject,
    threshold: team.thresholds[request.subject] ?? 0,
    step: request.step,
    plan: request.plan as ReviewPlan,
    results: dependenciesOf(request.results, outputs),
    tests: testsBehind(request.testsKey, outputs),
    failed: request.failed,
    key,
    signal,
  });
  const usage = usageIn(value);
  const plain = bounded(value, team.maxOutputBytes, usage);
  if (!plain.ok) return plain.failure;
  const parsed = checked(verdictSchema, plain.value);
  if (!parsed.success) return failed('invalid-output', schemaMessage(parsed.error), usage);
  const { score, issues, feedback } = parsed.data;
  return answered({ role: 'supervisor', score, issues, feedback }, null, usage);
};

/** The result was checked when the tester returned it. */
const testsBehind = (key: string | null, outputs: OutputLookup): TestResult | null =>
  key === null ? null : (handedOutput([key], outputs) as unknown as TestResult | null);

/** A checked plan has the shape of a user's plan, with every default filled in. */
type ReviewPlan = Parameters<NonNullable<Callable['supervisor']>>[0]['plan'];

import { checked } from '../model/check.js';
import { testResultSchema } from '../agents/verdict.js';
import type { CallOutcome, TesterRequest } from '../model/calls.js';
import { answered, bounded, failed, schemaMessage, usageIn } from './outcome.js';
import { handedOutput } from './references.js';
import type { Callable, CallSurroundings } from './team.types.js';

/** Asks the tester about the work of one step. */
export const testStep = async (
  team: Callable,
  request: TesterRequest,
  key: string,
  { run, signal, outputs }: CallSurroundings,
): Promise<CallOutcome> => {
  if (team.tester === undefined) return failed('unknown-agent', 'There is no tester');
  const value: unknown = await team.tester({
    ...run,
    goal: request.goal,
    depth: request.depth,
    step: request.step,
    output: handedOutput(request.results[0]?.keys ?? [], outputs),
    cycle: request.cycle,
    key,
    signal,
  });
  const usage = usageIn(value);
  const plain = bounded(value, team.maxOutputBytes, usage);
  if (!plain.ok) return plain.failure;
  const parsed = checked(testResultSchema, plain.value);
  if (!parsed.success) return failed('invalid-output', schemaMessage(parsed.error), usage);
  const { passed, failures } = parsed.data;
  const answer = { role: 'tester', passed, failures: failures.length } as const;
  return answered(answer, plain.value, usage);
};

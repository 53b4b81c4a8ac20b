import type { AgentCall } from '../../agents/agent.js';
import {
  askHuman,
  blocked,
  done,
  handOff,
  needsContext,
  requestReplan,
} from '../../agents/report.js';
import type { FaultKind } from './fault-kinds.js';
import { answer } from './answering.js';
import type { Random } from './random.js';
import type { Environment } from './environment.js';

/** Faults of a call to any agent or role. */
export const CALL_FAULTS: readonly FaultKind[] = [
  'agent-hangs',
  'agent-late',
  'agent-throws',
  'agent-rejects',
  'agent-silent',
  'agent-floods',
  'agent-misshapen',
  'agent-unserializable',
  'agent-cyclic',
  'agent-on-the-tick',
];

/** One call of an agent in a simulated world: the work, or a fault. */
export const work = (environment: Environment, call: AgentCall, name: string): unknown => {
  const { key } = call;
  const lost = environment.ledger.missing(call);
  const isWhole = lost.length === 0;
  environment.expect(
    isWhole,
    'outputs-delivered',
    `${key} is not given the output of ${lost.join()}`,
  );
  if (isFailing(environment, key)) throw new Error('The agent is down');
  const fault = stuckness(environment, call) ?? environment.fault(key, WORK_FAULTS, 0.5);
  const random = environment.random(`answer ${key}`);
  return answer(environment, { key, signal: call.signal, fault, random }, () =>
    report(environment, call, name, fault),
  );
};

/** A blocked agent is blocked at every attempt of the step: otherwise no sub-plan would ever start. */
const stuckness = (environment: Environment, { step }: AgentCall): FaultKind | undefined =>
  environment.fault(`${step.id} at every attempt`, ['agent-blocked'], 0.15);

/** Fails on every try, or only on the first. */
const isFailing = (environment: Environment, key: string): boolean => {
  const [base = key, later] = key.split('#');
  const fault = environment.fault(`${base} at all`, ['agent-flaky', 'agent-dead'], 0.3);
  return fault === 'agent-dead' || (fault === 'agent-flaky' && later === undefined);
};

interface Reporting {
  readonly call: AgentCall;
  readonly random: Random;
  readonly output: { readonly by: string; readonly step: string; readonly variant: number };
}

type Reporter = (reporting: Reporting) => unknown;

const USAGE = { inputTokens: 5, outputTokens: 1, costUsd: 0.01 };

/** Reports other than done. */
const REPORTS: Readonly<Partial<Record<FaultKind, Reporter>>> = {
  'agent-blocked': () => blocked('It cannot be done this way'),
  'agent-needs-context': ({ random, output }) =>
    needsContext('Look elsewhere', random.chance(0.5) ? output : undefined, { usage: USAGE }),
  'agent-hands-off': ({ random, output }) =>
    handOff({ agent: targetOf(random), task: 'Take over' }, output, { usage: USAGE }),
  'agent-wants-replan': ({ output }) =>
    requestReplan({ reason: 'It does not fit', agents: [] }, output, { confidence: 0.4 }),
  'agent-asks-human': () => askHuman({ question: 'Which one?', payload: { options: [1, 2] } }),
  'agent-unsure': ({ output }) => done(output, { confidence: 0.2, usage: USAGE }),
  'agent-expensive': ({ output }) =>
    done(output, { usage: { inputTokens: 400, outputTokens: 90, costUsd: 0.8 } }),
  'agent-lookalike': ({ random, output }) => done(lookalikeOf(random, output)),
  'agent-meddles': ({ call, output }) => meddle(call, output),
};

const WORK_FAULTS: readonly FaultKind[] = [
  ...CALL_FAULTS,
  ...(Object.keys(REPORTS) as FaultKind[]),
];

const report = (
  environment: Environment,
  call: AgentCall,
  name: string,
  fault: FaultKind | undefined,
): unknown => {
  const random = environment.random(`report ${call.key}`);
  const output = { by: name, step: call.step.id, variant: random.integer(0, 1) };
  const reporter = fault === undefined ? undefined : REPORTS[fault];
  return reporter === undefined
    ? done(output, { confidence: 0.9, usage: USAGE })
    : reporter({ call, random, output });
};

const targetOf = (random: Random): string =>
  random.pick(['worker', 'reviewer', 'nobody', '__proto__'], 'worker');

const lookalikeOf = (random: Random, output: Readonly<Record<string, unknown>>): unknown =>
  random.pick([
    { ...output, xstate$$type: 1, id: 'slot-0' },
    { ...output, sessionId: 'x', send: 'y', ref: 'z' },
    { ...output, type: 'approval.grant', requestId: 's0:1.1' },
    { ...output, steps: [{ id: 'evil', agent: 'worker', task: 'Everything' }] },
  ]);

/** Tries to change its frozen input, which must have no effect. */
const meddle = (call: AgentCall, output: unknown): unknown => {
  const given = call as { -readonly [Key in keyof AgentCall]: AgentCall[Key] };
  for (const change of [
    () => (given.task = 'Something else'),
    () => (given.dependencies as unknown[]).push('More'),
    () => ((given.step as { attempt: number }).attempt = 99),
  ]) {
    try {
      change();
    } catch {
      // Expected.
    }
  }
  return done(output);
};

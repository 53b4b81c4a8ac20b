import type { Agent, AgentCall } from '../agents/agent.js';
import { defineAgent } from '../agents/agent.js';
import type { Clock } from '../services/clock.js';

/** What an agent does in one call. Made by {@link script}. */
export type ScriptedAct =
  | { readonly act: 'answer'; readonly value: unknown; readonly afterMs: number }
  | { readonly act: 'throw'; readonly reason: unknown; readonly afterMs: number }
  | { readonly act: 'hang' };

/** A delay in the time of the clock. */
interface Delay {
  /** @default 0 */
  readonly afterMs?: number | undefined;
}

/** One act per call, in order; or the acts by the id of the step. */
export type Script = readonly ScriptedAct[] | Readonly<Record<string, readonly ScriptedAct[]>>;

/** The acts of a script. */
export const script = Object.freeze({
  /** Answers with a value or a report: `script.answer(done(1))`, `script.answer(blocked('why'), { afterMs: 50 })`. */
  answer: (value: unknown, { afterMs = 0 }: Delay = {}): ScriptedAct => ({
    act: 'answer',
    value,
    afterMs,
  }),
  /** Fails. */
  fail: (reason: unknown = new Error('Scripted failure'), { afterMs = 0 }: Delay = {}) =>
    ({ act: 'throw', reason, afterMs }) satisfies ScriptedAct,
  /** Never answers, and ignores its signal. */
  hang: (): ScriptedAct => ({ act: 'hang' }),
  /** Answers with a value that no schema accepts and JSON cannot hold. */
  garbage: (): ScriptedAct => ({ act: 'answer', value: { count: 1n }, afterMs: 0 }),
  /** Answers after its timeout, when the call has ended. */
  late: (value: unknown, afterMs: number): ScriptedAct => ({ act: 'answer', value, afterMs }),
});

/** A team that follows its scripts, and its calls. */
export interface ScriptedTeam<Name extends string> {
  readonly agents: readonly Agent<Name, never>[];
  /** Every call, in order. */
  readonly calls: readonly { readonly agent: Name; readonly call: AgentCall }[];
}

/**
 * Agents that follow their scripts, call by call, in the time of the clock. A call beyond the end of its script throws:
 * the test expected fewer calls.
 *
 * @example
 * ```ts
 * const clock = virtualClock();
 * const team = scriptedAgents({ coder: [script.fail(), script.answer('Second try', { afterMs: 200 })] }, { clock });
 * const orchestrator = createOrchestrator({ agents: team.agents, clock });
 * ```
 */
export const scriptedAgents = <const Name extends string>(
  scripts: Readonly<Record<Name, Script>>,
  { clock }: { readonly clock: Clock },
): ScriptedTeam<Name> => {
  const calls: { agent: Name; call: AgentCall }[] = [];
  const played = new Map<string, number>();
  const agents = (Object.entries(scripts) as [Name, Script][]).map(([agent, acts]) =>
    defineAgent({
      name: agent,
      description: `The scripted ${agent}`,
      run: (call) => {
        calls.push({ agent, call });
        const { list, place } = partOf(acts, agent, call);
        const position = played.get(place) ?? 0;
        played.set(place, position + 1);
        const act = list[position];
        if (act === undefined) throw new Error(`The script of ${place} has no act ${position + 1}`);
        return perform(act, clock);
      },
    }),
  );
  return { agents, calls };
};

const isList = (acts: Script): acts is readonly ScriptedAct[] => Array.isArray(acts);

const partOf = (
  acts: Script,
  agent: string,
  { step }: AgentCall,
): { readonly list: readonly ScriptedAct[]; readonly place: string } => {
  if (isList(acts)) return { list: acts, place: agent };
  const list = Object.hasOwn(acts, step.id) ? acts[step.id] : undefined;
  return { list: list ?? [], place: `${agent} for ${step.id}` };
};

const perform = (act: ScriptedAct, clock: Clock): Promise<unknown> => {
  if (act.act === 'hang') return new Promise(() => undefined);
  return new Promise((resolve, reject) => {
    const finish = (): void => {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as the script says
      if (act.act === 'throw') reject(act.reason);
      else resolve(act.value);
    };
    if (act.afterMs > 0) clock.setTimeout(finish, act.afterMs);
    else finish();
  });
};

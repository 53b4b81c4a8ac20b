import { expect, it } from 'vitest';
import type { AnyActorRef } from 'xstate';
import { createActor } from 'xstate';

import type { Agent } from '../../src/agents/agent.js';
import type { JournalEntry } from '../../src/journal/entry.js';
import type { Fact, FactBody, FactType } from '../../src/model/facts.js';
import { factSchema } from '../../src/model/facts.js';
import { createRecordBuilder } from '../../src/journal/record.js';
import type { RunReport } from '../../src/journal/report.js';
import { isEnded, reportOf } from '../../src/journal/report.js';
import type { Command } from '../../src/model/commands.js';
import type {
  Orchestrator,
  OrchestratorOptions,
  StartInput,
} from '../../src/orchestrator/create-orchestrator.js';
import { composeOrchestrator } from '../../src/orchestrator/create-orchestrator.js';
import { rebuiltFromCopies } from '../../src/run/replayed-run.js';
import type { CommandResult, Run } from '../../src/run/run.types.js';
import { checkingRunner } from '../kernel/checking-runner.js';
import type { VirtualClock } from '../../src/testing/virtual-clock.js';
import { virtualClock } from '../../src/testing/virtual-clock.js';
import { checkInvariants } from '../../src/testing/invariants/check-invariants.js';

/** What a scenario may do while its run is in progress; the same under every interpreter. */
export interface Control {
  approve(requestId: string, answer?: string): void;
  reject(requestId: string, reason?: string): void;
  skip(stepIds: readonly string[], reason?: string): void;
  skipTo(stepId: string, reason?: string): void;
  say(text: string): void;
  pause(): void;
  unpause(): void;
  extendTime(extraMs: number): void;
  abort(reason?: string): void;
}

export interface ScenarioSetup {
  readonly options: Omit<OrchestratorOptions<readonly Agent[]>, 'clock' | 'store'>;
  readonly start?: Partial<StartInput>;
  /** Reacts to facts, at the same virtual time and after everything else due at that time. */
  readonly onFact?: (fact: Fact, control: Control) => void;
  /** Acts at given times. */
  readonly at?: Readonly<Record<number, (control: Control) => void>>;
}

export interface ScenarioResult {
  readonly report: RunReport;
  readonly facts: readonly Fact[];
  /** Only the facts of some types, without number and time. */
  readonly factsOf: <Type extends FactType>(...types: Type[]) => FactBody<Type>[];
  readonly clock: VirtualClock;
  /** The results of commands, in order; only the kernel answers them. */
  readonly commands: readonly CommandResult[];
  readonly journal: readonly JournalEntry[];
  /** The policy of the run. */
  readonly orchestrator: Orchestrator;
}

type Mode = 'straight' | 'rebuilt' | 'live';

/**
 * Plays one scenario three ways: by the kernel, by the kernel rebuilt from its journal after every entry, and by
 * XState's own interpreter. All three must tell the same facts at the same times.
 */
export const scenario = (
  name: string,
  build: (clock: VirtualClock) => ScenarioSetup,
  check: (result: ScenarioResult) => void | Promise<void>,
): void => {
  it(name, async () => {
    const straight = await play('straight', build);
    await check(straight);
    expectWellFormed(straight);
    for (const mode of ['rebuilt', 'live'] as const) {
      const other = await play(mode, build);
      expect(bodies(other.facts), `${mode} tells the same facts`).toEqual(bodies(straight.facts));
      expect(other.report.status).toBe(straight.report.status);
      expect(other.clock.pending(), `${mode} leaves no timer`).toBe(0);
    }
  });
};

/** Facts with their times; numbers follow from the order. */
const bodies = (facts: readonly Fact[]): unknown[] =>
  // A stack differs: each way of running is its own code.
  facts.map((fact): unknown => JSON.parse(JSON.stringify(fact, withoutStack)));

const withoutStack = (name: string, value: unknown): unknown =>
  name === 'stack' ? undefined : value;

const expectWellFormed = ({ facts, journal, clock, orchestrator }: ScenarioResult): void => {
  expect(facts.map((fact) => fact.sequence)).toEqual(facts.map((_, index) => index + 1));
  for (const fact of facts) expect(factSchema.safeParse(fact).error).toBeUndefined();
  expect(clock.pending(), 'no timer is left').toBe(0);
  const { policy } = orchestrator;
  expect(checkInvariants(journal, { policy, bounds: orchestrator.bounds() }), 'invariants').toEqual(
    [],
  );
};

export const play = async (
  mode: Mode,
  build: (clock: VirtualClock) => ScenarioSetup,
): Promise<ScenarioResult> => {
  const clock = virtualClock();
  const setup = build(clock);
  return mode === 'live' ? playLive(clock, setup) : playKernel(clock, setup, mode);
};

const jsonCopy = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

const playKernel = async (
  clock: VirtualClock,
  setup: ScenarioSetup,
  mode: Mode,
): Promise<ScenarioResult> => {
  const rebuilt = mode === 'rebuilt' ? rebuiltFromCopies(jsonCopy) : undefined;
  const runner = mode === 'straight' ? checkingRunner : undefined;
  const orchestrator = composeOrchestrator({ ...setup.options, clock }, rebuilt, runner);
  const facts: Fact[] = [];
  const commands: Promise<CommandResult>[] = [];
  const run = orchestrator.start({
    goal: 'The goal of the scenario',
    runId: 'run',
    ...setup.start,
  });
  const control = runControl(run, commands);
  for (const [time, act] of Object.entries(setup.at ?? {})) {
    clock.setTimeout(() => {
      act(control);
    }, Number(time));
  }
  run.subscribe((fact) => {
    facts.push(fact);
    clock.setTimeout(() => {
      setup.onFact?.(fact, control);
    }, 0);
  });
  await clock.runUntil(run.done);
  await drainClock(clock);
  const report = await run.done;
  return {
    ...resultOf(facts, report, clock),
    commands: await Promise.all(commands),
    journal: run.journal(),
    orchestrator,
  };
};

const playLive = async (clock: VirtualClock, setup: ScenarioSetup): Promise<ScenarioResult> => {
  const orchestrator = composeOrchestrator({ ...setup.options, clock }, undefined);
  const builder = createRecordBuilder();
  const facts: Fact[] = [];
  const hear = (body: FactBody): void => {
    const fact = { sequence: facts.length + 1, at: clock.now(), ...body } as Fact;
    facts.push(fact);
    builder.add(fact);
    clock.setTimeout(() => {
      setup.onFact?.(fact, control);
    }, 0);
  };
  const input = { goal: 'The goal of the scenario', runId: 'run', ...setup.start };
  const actor = createActor(orchestrator.machine, { input, clock });
  actor.on('*', hear);
  const control = actorControl(actor);
  const done = new Promise<void>((resolve, reject) => {
    actor.subscribe({ complete: resolve, error: reject });
  });
  actor.start();
  for (const [time, act] of Object.entries(setup.at ?? {})) {
    clock.setTimeout(() => {
      act(control);
    }, Number(time));
  }
  await clock.runUntil(done);
  await done;
  await drainClock(clock);
  const record = builder.record();
  if (!isEnded(record)) throw new Error('The live run told no end');
  return { ...resultOf(facts, reportOf(record), clock), commands: [], journal: [], orchestrator };
};

/** Reactions to the last facts are still due; nothing else may be. */
const drainClock = async (clock: VirtualClock): Promise<void> => {
  await clock.settle();
  clock.advance(0);
  await clock.settle();
};

const resultOf = (
  facts: readonly Fact[],
  report: RunReport,
  clock: VirtualClock,
): Omit<ScenarioResult, 'commands' | 'journal' | 'orchestrator'> => ({
  report,
  facts,
  clock,
  factsOf: <Type extends FactType>(...types: Type[]) =>
    facts
      .filter((fact) => (types as readonly string[]).includes(fact.type))
      .map((fact) => {
        const entries = Object.entries(fact).filter(([key]) => key !== 'sequence' && key !== 'at');
        return Object.fromEntries(entries) as unknown as FactBody<Type>;
      }),
});

const runControl = (run: Run, commands: Promise<CommandResult>[]): Control => {
  const keep = (result: Promise<CommandResult>): void => {
    commands.push(result);
  };
  return {
    approve: (requestId, answer) => {
      keep(run.approve(requestId, answer));
    },
    reject: (requestId, reason) => {
      keep(run.reject(requestId, reason));
    },
    skip: (stepIds, reason) => {
      keep(run.skip(stepIds, reason));
    },
    skipTo: (stepId, reason) => {
      keep(run.skipTo(stepId, reason));
    },
    say: (text) => {
      keep(run.say(text));
    },
    pause: () => {
      keep(run.pause());
    },
    unpause: () => {
      keep(run.unpause());
    },
    extendTime: (extraMs) => {
      keep(run.extendTime(extraMs));
    },
    abort: (reason) => {
      keep(run.abort(reason));
    },
  };
};

const actorControl = (actor: AnyActorRef): Control => {
  const send = (event: Command): void => {
    actor.send(event);
  };
  return {
    approve: (requestId, answer = 'Approved') => {
      send({ type: 'approval.grant', requestId, answer });
    },
    reject: (requestId, reason = 'Rejected') => {
      send({ type: 'approval.reject', requestId, reason });
    },
    skip: (stepIds, reason) => {
      send({ type: 'plan.skip', stepIds, reason });
    },
    skipTo: (stepId, reason) => {
      send({ type: 'plan.skipTo', stepId, reason });
    },
    say: (text) => {
      send({ type: 'conversation.say', text });
    },
    pause: () => {
      send({ type: 'run.pause' });
    },
    unpause: () => {
      send({ type: 'run.unpause' });
    },
    extendTime: (extraMs) => {
      send({ type: 'time.extend', extraMs });
    },
    abort: (reason = 'Aborted by a person') => {
      send({ type: 'run.abort', reason });
    },
  };
};

import type { Agent } from '../../agents/agent.js';
import type { Issue } from '../../errors.js';
import type { Fact } from '../../model/facts.js';
import type { Command } from '../../model/commands.js';
import type { Settings } from '../../model/settings.js';
import type { Orchestrator, OrchestratorOptions } from '../../orchestrator/create-orchestrator.js';
import { composeOrchestrator } from '../../orchestrator/create-orchestrator.js';
import type { Run } from '../../run/run.types.js';
import { systemClock } from '../../services/clock.js';
import type { VirtualClock } from '../../testing/virtual-clock.js';
import { virtualClock } from '../../testing/virtual-clock.js';
import { checkInvariants } from '../../testing/invariants/check-invariants.js';
import type { OwnCall } from './scripted-answers.js';
import { PendingCalls, scriptedTeam } from './scripted-answers.js';
import type { GeneratedPath } from './explore.js';
import type { Happening } from './model.js';
import type { AgentCallOutcome, PathReport, RunPath } from './paths.types.js';
import { PATH_INPUT } from './whole-run.js';

export interface PathSetup {
  readonly options: OrchestratorOptions<readonly Agent[]>;
  readonly settings: Settings;
  readonly underTest: ReadonlyMap<string, Agent>;
  readonly patienceMs: number;
}

/** The maximum of events after a path; a run that needs more does not end. */
const REST_MAX = 10_000;

/** Runs a real run along a path and then, as planned, to its end. */
export const runPath = async (
  path: RunPath,
  { steps }: GeneratedPath,
  setup: PathSetup,
): Promise<PathReport> => {
  const walk = new Walk(setup, unreachableOn(steps));
  let hasLeftPath = false;
  for (const { happening } of steps) {
    hasLeftPath = !(await walk.take(happening));
    if (hasLeftPath) break;
  }
  await walk.finish();
  const { status, reason } = walk.run.record();
  return {
    path,
    status: status === 'running' ? 'failed' : status,
    reason: reason ?? 'stuck',
    hasLeftPath,
    calls: walk.calls(),
    problems: await walk.problems(),
  };
};

/** Keys of the tries that fail on the path before they reach an agent. */
const unreachableOn = (steps: GeneratedPath['steps']): string[] =>
  steps.flatMap(({ happening }) =>
    happening.type === 'answered' && happening.act !== undefined && 'throws' in happening.act.does
      ? [happening.act.key]
      : [],
  );

/** One run on a virtual clock, whose calls wait for the path. */
class Walk {
  readonly run: Run;
  readonly #clock: VirtualClock = virtualClock();
  readonly #pending: PendingCalls;
  readonly #orchestrator: Orchestrator;
  readonly #patienceMs: number;
  readonly #facts: Fact[] = [];
  readonly #problems: Issue[] = [];
  #isOver = false;

  constructor({ options, settings, underTest, patienceMs }: PathSetup, unreachable: string[]) {
    const { policy } = settings;
    this.#pending = new PendingCalls(unreachable);
    this.#patienceMs = patienceMs;
    this.#orchestrator = composeOrchestrator(
      {
        ...scriptedTeam(this.#pending, options, underTest, policy.limits.maxSteps),
        policy,
        clock: this.#clock,
      },
      undefined,
    );
    this.run = this.#orchestrator.start(PATH_INPUT);
    this.run.subscribe((fact) => {
      this.#facts.push(fact);
    });
    void this.run.done.then(() => {
      this.#isOver = true;
    });
  }

  /** False when the run has left the path. */
  async take(happening: Happening): Promise<boolean> {
    await this.#clock.settle();
    if (this.#isOver) return false;
    switch (happening.type) {
      case 'answered':
        return happening.act === undefined || this.#answer(happening.act);
      case 'elapsed':
        return this.#clock.next();
      case 'told':
        void this.#tell(happening.event as Command);
        return true;
      case 'late':
        this.#pending.performLate(happening.key ?? '');
        return true;
      case 'broken':
        return true;
    }
  }

  async #answer(
    act: NonNullable<Extract<Happening, { type: 'answered' }>['act']>,
  ): Promise<boolean> {
    if (!this.#pending.has(act.key)) return false;
    if (!act.isFault) return this.#answerAsPlanned(act.key);
    this.#pending.perform(act);
    return true;
  }

  /** False when an agent under test has not answered: then only time can move on. */
  async #answerAsPlanned(key: string): Promise<boolean> {
    const own = this.#pending.ownCall(key);
    if (own === undefined || (await this.#hasSettled(own))) {
      this.#pending.performAsPlanned(key);
      return true;
    }
    this.#problems.push(issue('no-answer', own, `did not answer within ${this.#patienceMs} ms`));
    this.#pending.giveUp(key);
    return false;
  }

  #tell(command: Command): Promise<unknown> {
    switch (command.type) {
      case 'approval.grant':
        return this.run.approve(command.requestId, command.answer);
      case 'approval.reject':
        return this.run.reject(command.requestId, command.reason);
      case 'plan.skip':
        return this.run.skip(command.stepIds);
      case 'run.pause':
        return this.run.pause();
      case 'run.unpause':
        return this.run.unpause();
      case 'run.abort':
        return this.run.abort(command.reason);
      case 'plan.skipTo':
      case 'conversation.say':
      case 'time.extend':
        return Promise.resolve();
    }
  }

  /** Everything as planned until the run has ended. */
  async finish(): Promise<void> {
    for (let count = 0; count < REST_MAX; count += 1) {
      await this.#clock.settle();
      if (this.#isOver) return;
      if (!(await this.#goOn())) break;
    }
    const message = 'The run does not end';
    this.#problems.push({ code: 'stuck', path: '', message });
    await this.run.abort('The path is over');
    await this.#clock.settle();
  }

  async #goOn(): Promise<boolean> {
    const { first } = this.#pending;
    if (first !== undefined) {
      await this.#answerAsPlanned(first);
      return true;
    }
    const { openApprovals, phase } = this.run.record();
    const [question] = openApprovals;
    if (question !== undefined) void this.run.approve(question.requestId);
    else if (phase === 'paused' && (await this.run.unpause()).accepted) return true;
    else return this.#clock.next();
    return true;
  }

  /** The calls of the agents under test. */
  calls(): AgentCallOutcome[] {
    return this.#pending.ownCalls.map(({ agent, key, isWithheld }) => ({
      agent,
      key,
      outcome: isWithheld ? 'was not waited for' : this.#outcomeOf(key),
    }));
  }

  #outcomeOf(key: string): string {
    for (const fact of this.#facts) {
      if (fact.type === 'agent.answered' && fact.key === key) return fact.report;
      if (fact.type === 'agent.failed' && fact.key === key) return fact.code;
    }
    return 'was not waited for';
  }

  async problems(): Promise<Issue[]> {
    return [
      ...this.#problems,
      ...this.#brokenPromises(),
      ...this.#badOutputs(),
      ...(await this.#leaks()),
    ];
  }

  #brokenPromises(): Issue[] {
    const { policy } = this.#orchestrator;
    const bounds = this.#orchestrator.bounds();
    const violations = checkInvariants(this.run.journal(), { policy, bounds });
    const timers = this.#clock.pending();
    return [
      ...violations.map(({ message }) => ({ code: 'broken-promise', path: '', message })),
      ...(timers === 0
        ? []
        : [{ code: 'timers-left', path: '', message: `${timers} timers are left` }]),
    ];
  }

  #badOutputs(): Issue[] {
    return this.#pending.ownCalls.flatMap((call) => {
      if (call.isWithheld) return [];
      const failed = this.#facts.find(
        (fact) => fact.type === 'agent.failed' && fact.key === call.key,
      );
      return failed?.type === 'agent.failed' && BAD_OUTPUTS.has(failed.code)
        ? [issue(failed.code, call, `gave an invalid answer: ${failed.reason}`)]
        : [];
    });
  }

  /** Agents that still work after the run has ended. */
  async #leaks(): Promise<Issue[]> {
    const open: OwnCall[] = [];
    for (const call of this.#pending.ownCalls) if (!(await this.#hasSettled(call))) open.push(call);
    return open.map((call) =>
      issue('ignored-abort', call, 'kept working after its signal was aborted'),
    );
  }

  async #hasSettled(call: OwnCall): Promise<boolean> {
    if (call.isSettled) return true;
    const clock = systemClock();
    let timer: unknown;
    const patience = new Promise<void>((resolve) => {
      timer = clock.setTimeout(resolve, this.#patienceMs);
    });
    await Promise.race([call.settled, patience]);
    clock.clearTimeout(timer);
    return call.isSettled;
  }
}

const BAD_OUTPUTS: ReadonlySet<string> = new Set([
  'invalid-output',
  'not-serializable',
  'output-too-large',
]);

const issue = (code: string, { agent, key }: OwnCall, what: string): Issue => ({
  code,
  path: key,
  message: `The agent '${agent}' ${what}`,
});

import type { Fact } from '../../model/facts.js';
import type { Orchestrator } from '../../orchestrator/create-orchestrator.js';
import type { CommandResult, Run, RunCommands } from '../../run/run.types.js';
import { checkAnsweredHere, checkAnsweredThere } from './durability-checks.js';
import type { FaultKind } from './fault-kinds.js';
import type { Life } from './life.js';
import type { Random } from './random.js';
import type { Environment } from './environment.js';
import type { PersonAction } from './world.js';

const ANSWER_FAULTS: readonly FaultKind[] = [
  'human-twice',
  'human-rejects',
  'human-malformed',
  'human-late',
  'human-silent',
];

const FLOOD = 40;

/** Longer than any process sleeps. People still see a question as open when its step was skipped. */
const HEALINGS_MAX = 30;

/** The people of a simulated world: they answer, send commands, and subscribe badly. */
export class People {
  readonly #environment: Environment;
  /** Commands to a process that have no answer yet. */
  readonly #waiting = new Map<
    Promise<CommandResult>,
    { readonly what: string; readonly life: Life }
  >();
  /** Questions that a person has seen. */
  readonly #considered = new Set<string>();
  /** The run as seen by a process that does not own it. */
  #remote: { readonly life: Life; readonly run: RunCommands } | undefined;
  #count = 0;
  #healings = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Schedules all timed actions. */
  prepare(): void {
    const { clock, world } = this.#environment;
    for (const [index, action] of world.actions.entries()) {
      const run = (): void => {
        this.#run(action, index);
      };
      // Immediately means before any answer.
      if (action.atMs === 0) run();
      else clock.setTimeout(run, action.atMs);
    }
    clock.setTimeout(() => {
      this.#heal();
    }, world.healsAtMs);
  }

  /** Subscribes to a resumed or new run. */
  listen(run: Run): void {
    const { ledger, world } = this.#environment;
    if (world.kinds.has('listener-throws')) run.subscribe(badListener(this.#environment));
    const known = ledger.factCount;
    run.subscribe((fact) => {
      if (fact.sequence > known) this.#hear(fact);
    });
    // Seen in another process, where the answer may have been lost.
    for (const requestId of ledger.openQuestions) this.#consider(requestId);
    if (this.#environment.isHealed) this.#heal();
  }

  /** From now on a person may also send commands from a process that does not own the run. */
  connect(life: Life, orchestrator: Orchestrator): void {
    const connect = async (): Promise<void> => {
      try {
        this.#remote = { life, run: await orchestrator.connect(this.#environment.runId) };
      } catch {
        life.after(500, () => void connect());
      }
    };
    void connect();
  }

  /** Commands without an answer, although they reached a living process. */
  get unanswered(): readonly string[] {
    return [...this.#waiting.values()].flatMap(({ what, life }) => (life.isAwake ? [what] : []));
  }

  /** Sends a command: to the process that owns the run, or through the store. */
  tell(what: string, command: (run: RunCommands) => Promise<CommandResult>): void {
    this.#count += 1;
    const isRemote = this.#environment.random(`way of command ${this.#count}`).chance(0.5);
    if (this.#remote !== undefined && isRemote) this.#tellThere(this.#remote, what, command);
    else this.#tellHere(what, command);
  }

  /** Without a living owner the command is lost. */
  #tellHere(what: string, command: (run: RunCommands) => Promise<CommandResult>): void {
    const environment = this.#environment;
    const life = environment.driving;
    if (life?.run === undefined) return;
    const isTooLate = isAfterDeadline(environment, life, what);
    const result = command(life.run);
    // The process may have died of this very command.
    if (!life.isAlive) return;
    this.#await(result, what, life, (answer) => {
      checkAnsweredHere(environment, what, answer);
      const message = `${what} is accepted after the deadline`;
      environment.expect(!isTooLate || !answer.accepted, 'waits-in-time', message);
    });
  }

  #tellThere(
    { life, run }: { readonly life: Life; readonly run: RunCommands },
    what: string,
    command: (run: RunCommands) => Promise<CommandResult>,
  ): void {
    const { truth } = this.#environment;
    truth.latestCommandId = '';
    const result = command(run);
    const id = truth.latestCommandId;
    this.#await(result, what, life, (answer) => {
      // Malformed commands are not sent.
      if (id !== '') checkAnsweredThere(this.#environment, id, answer);
    });
  }

  #await(
    result: Promise<CommandResult>,
    what: string,
    life: Life,
    check: (answer: CommandResult) => void,
  ): void {
    this.#waiting.set(result, { what, life });
    void result.then((answer) => {
      if (this.#waiting.delete(result)) check(answer);
    });
  }

  /** A command to a dead process is never answered. */
  forget(dead: Life): void {
    for (const [result, { life }] of this.#waiting) if (life === dead) this.#waiting.delete(result);
  }

  #hear(fact: Fact): void {
    if (fact.type === 'approval.requested') {
      if (this.#environment.world.kinds.has('commands-late')) this.#interrupt(fact.requestId);
      this.#consider(fact.requestId);
    }
    if (fact.type === 'run.paused' && this.#environment.isHealed) this.#soon(0, () => this.#heal());
  }

  /** A command from within a subscriber. */
  #interrupt(requestId: string): void {
    if (!this.#environment.happens('commands-late', `in ${requestId}`)) return;
    this.tell(`say in ${requestId}`, (run) => run.say('From within'));
  }

  #soon(delayMs: number, act: () => void): void {
    this.#environment.clock.setTimeout(act, delayMs);
  }

  #approve(requestId: string): void {
    this.tell(`approve ${requestId}`, (run) => run.approve(requestId));
  }

  #reject(requestId: string): void {
    this.tell(`reject ${requestId}`, (run) => run.reject(requestId, 'I do not like it'));
  }

  #consider(requestId: string): void {
    const environment = this.#environment;
    const isKnown = this.#considered.has(requestId);
    this.#considered.add(requestId);
    // Two processes may report one question; a person whose answer was lost answers again in the next process.
    if (isKnown && environment.world.hasFleet) return;
    const random = environment.random(`answer to ${requestId}`);
    const fault = environment.fault(requestId, ANSWER_FAULTS, 0.5);
    if (fault === 'human-silent') return;
    const { timeoutMs } = environment.setting.policy.approval;
    const lateMs = timeoutMs + random.pick([0, 1, 500], 0);
    const usualMs = environment.isHealed ? 1 : random.integer(0, 800);
    this.#soon(fault === 'human-late' ? lateMs : usualMs, () => {
      if (fault === 'human-malformed') {
        this.tell('malformed', (run) => run.approve(requestId, 42 as unknown as string));
        return;
      }
      if (fault === 'human-rejects') this.#reject(requestId);
      else this.#approve(requestId);
      if (fault !== 'human-twice') return;
      if (random.chance(0.5)) this.#reject(requestId);
      else this.#approve(requestId);
    });
  }

  /** From now on people answer correctly and at once. */
  #heal(): void {
    const { ledger, truth } = this.#environment;
    if (ledger.isPaused) this.tell('resume', (run) => run.unpause());
    for (const requestId of ledger.openQuestions) this.#approve(requestId);
    // The owner may be asleep, or still without its store.
    const isOpen = ledger.isPaused || ledger.openQuestions.size > 0;
    const mayHelp = isOpen && !truth.hasEnded && this.#healings < HEALINGS_MAX;
    this.#healings += 1;
    if (mayHelp) this.#soon(1_000, () => this.#heal());
  }

  #run({ kind }: PersonAction, index: number): void {
    const environment = this.#environment;
    if (environment.isHealed || environment.driving === undefined) return;
    if (environment.happens(kind, `errand ${index}`)) this.#act(kind, index);
  }

  #act(kind: FaultKind, index: number): void {
    const random = this.#environment.random(`errand ${index}`);
    if (kind === 'person-pauses') {
      this.#soon(random.integer(0, 3_000), () => this.tell('resume', (run) => run.unpause()));
    }
    const stepId = random.pick(this.#openSteps(), 'nowhere');
    for (const command of COMMANDS[kind]?.(random, stepId) ?? MALFORMED) this.tell(kind, command);
  }

  /** Steps of the goal's own plan that can be skipped. */
  #openSteps(): readonly string[] {
    return [...this.#environment.ledger.openSteps].filter((stepId) => !stepId.includes('/'));
  }
}

type Telling = (run: RunCommands) => Promise<CommandResult>;

/** Commands that people send unasked. */
const COMMANDS: Readonly<
  Partial<Record<FaultKind, (random: Random, stepId: string) => readonly Telling[]>>
> = {
  'person-pauses': () => [(run) => run.pause()],
  'person-skips': (random, stepId) =>
    random.chance(0.6)
      ? [(run) => run.skip([stepId], 'Not needed')]
      : [(run) => run.skipTo(stepId)],
  'person-extends': (random) => [(run) => run.extendTime(random.integer(1, 5_000))],
  'person-speaks': () => [(run) => run.say('Please hurry')],
  'person-aborts': () => [(run) => run.abort('Enough')],
  'human-unknown': (random) => {
    const requestId = random.pick(['nobody:1.1', 's0:1.9', 'plan:plan.9'], 'nobody:1.1');
    return [(run) => run.approve(requestId)];
  },
  'commands-flood': () => Array.from({ length: FLOOD }, (_, count) => message(count)),
};

const message =
  (count: number): Telling =>
  (run) =>
    run.say(`Message ${count}`);

const MALFORMED: readonly Telling[] = [
  (run) => run.skip([]),
  (run) => run.skip(null as unknown as string[]),
  (run) => run.extendTime(-1),
  (run) => run.extendTime(Number.NaN),
  (run) => run.approve(undefined as unknown as string),
  (run) => run.skipTo(''),
  (run) => run.say({} as unknown as string),
];

/** Whether the deadline of a question has passed by the clock of the process that receives the answer. */
const isAfterDeadline = (environment: Environment, life: Life, what: string): boolean => {
  const requestId = /^(?:approve|reject) (.*)$/.exec(what)?.[1];
  const asked = requestId === undefined ? undefined : environment.ledger.askedAtMs.get(requestId);
  if (asked === undefined) return false;
  return (
    environment.clock.now() + life.offsetMs > asked + environment.setting.policy.approval.timeoutMs
  );
};

const badListener =
  (environment: Environment) =>
  ({ type }: Fact): void => {
    if (type !== 'step.started' && type !== 'run.started') return;
    if (environment.happens('listener-throws', type)) throw new Error('A bad listener');
  };

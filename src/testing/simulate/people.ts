import type { Fact } from '../../journal/facts.js';
import type { CommandResult, Run } from '../../run/run.types.js';
import type { FaultKind } from './fault-kinds.js';
import type { Random } from './random.js';
import type { Stage } from './stage.js';
import type { Errand } from './world.js';

const ANSWER_FAULTS: readonly FaultKind[] = [
  'human-twice',
  'human-rejects',
  'human-malformed',
  'human-late',
  'human-silent',
];

const FLOOD = 40;

/** Everybody outside who speaks to the run: who answers, who commands, who listens badly. */
export class People {
  readonly #stage: Stage;
  /** Commands that were given to a life that is on, and have no answer yet. */
  readonly #waiting = new Map<Promise<CommandResult>, string>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Everything that happens at a time of its own. */
  prepare(): void {
    const { clock, world } = this.#stage;
    for (const [index, errand] of world.errands.entries()) {
      const run = (): void => {
        this.#run(errand, index);
      };
      // At once means before anybody has answered anything.
      if (errand.atMs === 0) run();
      else clock.setTimeout(run, errand.atMs);
    }
    clock.setTimeout(() => {
      this.#heal();
    }, world.healsAtMs);
  }

  /** Goes on with a run that was taken up again, or begins with a new one. */
  listen(run: Run): void {
    const { ledger, world } = this.#stage;
    const known = ledger.factCount;
    if (world.kinds.has('listener-throws')) run.subscribe(badListener(this.#stage));
    run.subscribe((fact) => {
      if (fact.sequence > known) this.#hear(fact);
    });
    for (const requestId of ledger.openQuestions) this.#consider(requestId);
    if (this.#stage.isHealed) this.#heal();
  }

  /** Commands that nobody answered, though they reached a run that was on. */
  get unanswered(): readonly string[] {
    return [...this.#waiting.values()];
  }

  /** Says something to the run that is on, and waits for its answer; nobody hears it between two lives. */
  tell(what: string, command: (run: Run) => Promise<CommandResult>): void {
    const { life } = this.#stage;
    if (life?.run === undefined) return;
    const result = command(life.run);
    // It may have died of this very command.
    if (!life.isAlive) return;
    this.#waiting.set(result, what);
    const forget = (): void => {
      this.#waiting.delete(result);
    };
    void result.then(forget);
  }

  /** What was said to a life that is over is answered by nobody. */
  forget(): void {
    this.#waiting.clear();
  }

  #hear(fact: Fact): void {
    if (fact.type === 'approval.requested') {
      if (this.#stage.world.kinds.has('commands-late')) this.#interrupt(fact.requestId);
      this.#consider(fact.requestId);
    }
    if (fact.type === 'run.paused' && this.#stage.isHealed) this.#soon(0, () => this.#heal());
  }

  /** A command from within the telling of a fact. */
  #interrupt(requestId: string): void {
    if (!this.#stage.happens('commands-late', `in ${requestId}`)) return;
    this.tell(`say in ${requestId}`, (run) => run.say('From within'));
  }

  #soon(delayMs: number, act: () => void): void {
    this.#stage.clock.setTimeout(act, delayMs);
  }

  #approve(requestId: string): void {
    this.tell(`approve ${requestId}`, (run) => run.approve(requestId));
  }

  #reject(requestId: string): void {
    this.tell(`reject ${requestId}`, (run) => run.reject(requestId, 'I do not like it'));
  }

  #consider(requestId: string): void {
    const stage = this.#stage;
    const random = stage.random(`answer to ${requestId}`);
    const fault = stage.fault(requestId, ANSWER_FAULTS, 0.5);
    if (fault === 'human-silent') return;
    const { timeoutMs } = stage.setting.policy.approval;
    const lateMs = timeoutMs + random.pick([0, 1, 500], 0);
    const usualMs = stage.isHealed ? 1 : random.integer(0, 800);
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

  /** From now on people do what they are asked, at once. */
  #heal(): void {
    const { ledger } = this.#stage;
    if (ledger.isPaused) this.tell('resume', (run) => run.resume());
    for (const requestId of ledger.openQuestions) this.#approve(requestId);
  }

  #run({ kind }: Errand, index: number): void {
    const stage = this.#stage;
    if (stage.isHealed || stage.life?.run === undefined) return;
    if (stage.happens(kind, `errand ${index}`)) this.#errand(kind, index);
  }

  #errand(kind: FaultKind, index: number): void {
    const random = this.#stage.random(`errand ${index}`);
    if (kind === 'person-pauses') {
      this.#soon(random.integer(0, 3_000), () => this.tell('resume', (run) => run.resume()));
    }
    const stepId = random.pick(this.#openSteps(), 'nowhere');
    for (const command of COMMANDS[kind]?.(random, stepId) ?? MALFORMED) this.tell(kind, command);
  }

  /** Steps of the goal's own plan that can be taken off it. */
  #openSteps(): readonly string[] {
    return [...this.#stage.ledger.openSteps].filter((stepId) => !stepId.includes('/'));
  }
}

type Telling = (run: Run) => Promise<CommandResult>;

/** What people say of their own accord. */
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

const badListener =
  (stage: Stage) =>
  ({ type }: Fact): void => {
    if (type !== 'step.started' && type !== 'run.started') return;
    if (stage.happens('listener-throws', type)) throw new Error('A bad listener');
  };

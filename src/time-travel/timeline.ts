import type { CallInput } from '../model/calls.js';
import type { OutputLookup } from '../actors/team.types.js';
import type { JsonValue } from '../canonical-json.js';
import type { JournalEntry } from '../journal/entry.js';
import type { Kernel, KernelInput, KernelState, KernelStep } from '../kernel/kernel.types.js';
import { factsOf } from '../run/run-memory.js';
import { startedCalls } from './recorded-run.js';

/** The journal of a run that has not started: built from the events of another one, without making a call. */
export class Timeline {
  readonly entries: JournalEntry[] = [];
  readonly #kernel: Kernel;
  readonly #inputs = new Map<number, CallInput>();
  readonly #outputs = new Map<string, JsonValue>();
  #state: KernelState;
  #status: KernelStep['status'] = 'active';
  #factCount = 0;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    this.#state = kernel.initialState;
  }

  get isOver(): boolean {
    return this.#status !== 'active';
  }

  readonly outputs: OutputLookup = (key) => this.#outputs.get(key);

  /** Calls that have no answer yet. */
  openCalls(): { readonly address: string; readonly generation: number; input: CallInput }[] {
    return [...this.#state.calls].flatMap(([address, { generation }]) => {
      const input = this.#inputs.get(generation);
      return input === undefined ? [] : [{ address, generation, input }];
    });
  }

  /** Whether the run waits for this: an answer to a call in flight, or a timer that is armed. */
  isAwaited(event: KernelInput): boolean {
    switch (event.kind) {
      case 'answered':
      case 'broken':
        return this.#state.calls.get(event.address)?.generation === event.generation;
      case 'elapsed':
        return this.#state.timers.get(event.timer)?.generation === event.generation;
      case 'started':
      case 'commanded':
        return true;
    }
  }

  /** The call that an answer or a failure belongs to; undefined for any other event. */
  inputOf(event: KernelInput): CallInput | undefined {
    return 'generation' in event ? this.#inputs.get(event.generation) : undefined;
  }

  /** Takes one more event. */
  take(event: KernelInput, at: number): JournalEntry {
    const step = this.#kernel.step(this.#state, event);
    const facts = factsOf(step, at, this.#factCount);
    const calls = startedCalls(step.effects);
    const intents = calls.map(({ input }) => input.key);
    const entry = { sequence: this.entries.length, at, event, facts, intents };
    for (const { generation, input } of calls) this.#inputs.set(generation, input);
    for (const fact of facts) {
      if (fact.type === 'agent.answered' && fact.output !== null) {
        this.#outputs.set(fact.key, fact.output);
      }
    }
    this.#state = step.state;
    this.#status = step.status;
    this.#factCount += facts.length;
    this.entries.push(entry);
    return entry;
  }
}

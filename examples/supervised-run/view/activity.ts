// What a view needs besides the run record: calls in flight, outcomes of steps, and the log so far.
import type { Fact, FactType, JsonValue } from '../../../src/index.js';
import type { StoryLine } from './story.js';
import { tell } from './story.js';

/** A call in flight. */
export interface OpenCall {
  readonly key: string;
  readonly stepId: string | null;
  /** 'coder works on it' */
  readonly who: string;
  readonly what: string;
  readonly since: number;
}

/** Details of a step that the record does not have. */
export interface StepNotes {
  readonly fixes: number;
  /** It ended with a replan request. */
  readonly hasAskedForPlan: boolean;
}

export interface Activity {
  readonly calls: readonly OpenCall[];
  readonly story: readonly StoryLine[];
  /** When the first fact was written; 0 before that. */
  readonly startedAt: number;
  notesOf(stepId: string): StepNotes;
}

const NO_NOTES: StepNotes = { fixes: 0, hasAskedForPlan: false };

/** Reduces the facts of one run, one at a time. */
export class ActivityLog implements Activity {
  readonly #calls = new Map<string, OpenCall>();
  readonly #notes = new Map<string, StepNotes>();
  readonly #story: StoryLine[] = [];
  /** Only the results of testers: a later fact refers to them. */
  readonly #outputs = new Map<string, JsonValue>();
  #startedAt: number | null = null;

  get calls(): readonly OpenCall[] {
    return [...this.#calls.values()];
  }

  get story(): readonly StoryLine[] {
    return this.#story;
  }

  get startedAt(): number {
    return this.#startedAt ?? 0;
  }

  notesOf(stepId: string): StepNotes {
    return this.#notes.get(stepId) ?? NO_NOTES;
  }

  /** Returns the lines that the fact adds to the log. */
  add(fact: Fact): readonly StoryLine[] {
    this.#startedAt ??= fact.at;
    const take = this.#takers[fact.type] as ((taken: Fact) => void) | undefined;
    take?.(fact);
    const lines = tell(fact, {
      outputOf: (key) => this.#outputs.get(key),
      hasAskedForPlan: (stepId) => this.notesOf(stepId).hasAskedForPlan,
    });
    this.#story.push(...lines);
    return lines;
  }

  readonly #takers: { readonly [Type in FactType]?: (fact: Fact<Type>) => void } = {
    'agent.called': (fact) => this.#calls.set(fact.key, openCall(fact)),
    'agent.answered': ({ key, role, stepId, report, output }) => {
      this.#calls.delete(key);
      if (role === 'tester') this.#outputs.set(key, output);
      const hasAskedForPlan = report === 'requestReplan' || report === 'needsContext';
      if (hasAskedForPlan && stepId !== null) this.#note(stepId, { hasAskedForPlan });
    },
    'agent.failed': ({ key }) => this.#calls.delete(key),
    'fix.started': ({ stepId }) => {
      this.#note(stepId, { fixes: this.notesOf(stepId).fixes + 1 });
    },
    // Calls that were stopped with their step get no answer.
    'step.failed': ({ stepId }) => this.#forgetCalls(stepId),
    'step.skipped': ({ stepId }) => this.#forgetCalls(stepId),
    'step.cancelled': ({ stepId }) => this.#forgetCalls(stepId),
    'time.expired': ({ scope }) => {
      if (scope !== 'run') this.#forgetCalls(null);
    },
    'run.ended': () => this.#calls.clear(),
  };

  #note(stepId: string, change: Partial<StepNotes>): void {
    this.#notes.set(stepId, { ...this.notesOf(stepId), ...change });
  }

  #forgetCalls(stepId: string | null): void {
    for (const call of this.#calls.values()) {
      if (call.stepId === stepId) this.#calls.delete(call.key);
    }
  }
}

const openCall = ({ key, role, agent, stepId, at, message }: Fact<'agent.called'>): OpenCall => ({
  key,
  stepId,
  who: agent,
  what: WORDS[role]({ subject: subjectIn(key), isFix: message === 'CODE_FIX_REQUEST' }),
  since: at,
});

/** Keys end in the role and its subject: '…/supervisor.code'. */
const subjectIn = (key: string): string => /\/supervisor\.(?<what>[a-z]+)/.exec(key)?.[1] ?? '';

type Words = (call: { readonly subject: string; readonly isFix: boolean }) => string;

const WORDS: Readonly<Record<Fact<'agent.called'>['role'], Words>> = {
  planner: () => 'plans',
  worker: ({ isFix }) => (isFix ? 'fixes' : 'works'),
  supervisor: ({ subject }) => (subject === 'code' ? 'reads the code' : `judges the ${subject}`),
  tester: () => 'runs the tests',
  summarizer: () => 'writes the summary',
};

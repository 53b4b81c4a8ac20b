/* A page of a user, as examples/indexed-db-store.ts opens it, and the functions that the test may call. */
import { createOrchestrator, defineAgent, systemClock } from '../../../src/index.js';
import { indexedDbStore } from '../../../src/services/stores/indexed-db/index.js';

const DATABASE = 'tabs';

/** Ten times the patience of the tests: a test that waits for the end of a lease fails. */
const LEASE_MS = 3_000_000;

const calls: string[] = [];
let answer = (): void => undefined;
const released = new Promise<void>((resolve) => {
  answer = resolve;
});

const worker = defineAgent({
  name: 'worker',
  description: 'Answers when the test lets it',
  run: async ({ key, step }) => {
    calls.push(key);
    if (step.id === 'slow') await released;
    return `did ${key}`;
  },
});

const plan = {
  steps: [
    { id: 'quick', agent: 'worker', task: 'Do the first part' },
    { id: 'slow', agent: 'worker', task: 'Do the second part', dependsOn: ['quick'] },
  ],
} as const;

const store = indexedDbStore({ name: DATABASE });
const orchestrator = createOrchestrator({
  agents: [worker],
  store,
  durability: { leaseMs: LEASE_MS, answerMs: 100 },
});
// An idle page resumes nothing.
if (location.search !== '?idle') orchestrator.recoverEvery(100);

export const page = {
  /** The calls that this page has made. */
  calls: () => calls,

  start: (runId: string): void => {
    orchestrator.start({ goal: 'Two parts', runId, plan });
  },

  /** The runs that this page resumes now. */
  recover: async (): Promise<string[]> => (await orchestrator.recover()).map(({ runId }) => runId),

  /** What the store says after the end of every lease. */
  afterLeases: async (runId: string): Promise<unknown> => {
    const later = systemClock().now() + 2 * LEASE_MS;
    await store.renew('another', LEASE_MS, later);
    const claimable = await store.claimable(later);
    return { claimable, claim: await store.claim(runId, 'another', later) };
  },

  /** Whether a command to the run would wait for its next owner. */
  isPending: async (runId: string): Promise<boolean> => {
    const connected = await orchestrator.connect(runId);
    const result = await connected.say('Hello');
    return result.accepted && result.isPending === true;
  },

  /** Lets the slow step of this page end, and returns how its run ended. */
  finish: async (runId: string): Promise<unknown> => {
    const run = await orchestrator.resume(runId);
    answer();
    const { status, successfulSteps } = await run.done;
    const takeovers = run
      .journal()
      .filter(({ event }) => event.kind === 'commanded' && event.event.type === 'run.recovered');
    return { status, successfulSteps, takeovers: takeovers.length };
  },
};

Object.assign(globalThis, { page });

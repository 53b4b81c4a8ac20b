import { describe, expect, it } from 'vitest';

import {
  ConfigurationError,
  createOrchestrator,
  defineAgent,
  definePolicy,
  PlanError,
  presets,
} from '../../src/index.js';
import { memoryStore } from '../../src/services/stores/index.js';

const coder = defineAgent({ name: 'coder', description: 'Writes code', run: () => 'done' });

const thrownBy = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (error) {
    return error;
  }
};

/** What a user reads, one line per issue. */
const messagesOf = (act: () => unknown): string[] => {
  const error = thrownBy(act);
  if (!ConfigurationError.isInstance(error) && !PlanError.isInstance(error)) throw error;
  return error.issues.map(({ path, message }) => `${path}: ${message}`);
};

const created = (options: object) => (): unknown => createOrchestrator(options as never);

describe('an option that does not exist', () => {
  it('of createOrchestrator is refused with the one that was meant', () => {
    const plan = { steps: [] };
    expect(messagesOf(created({ agents: [coder], planer: () => plan }))).toEqual([
      'planer: There is no option `planer`. Did you mean `planner`?',
    ]);
    expect(messagesOf(created({ agents: [coder], colour: 1 }))).toEqual([
      expect.stringContaining(
        'colour: There is no option `colour`. Known options: agents, planner',
      ),
    ]);
    expect(messagesOf(created({ agents: [coder], durability: { leasMs: 9 } }))).toEqual([
      'durability.leasMs: There is no option `durability.leasMs`. Did you mean `leaseMs`?',
    ]);
  });

  it('of an agent is refused with the one that was meant', () => {
    const misspelt = { name: 'coder', description: 'Writes code', run: () => 1, falback: () => 2 };
    expect(messagesOf(() => defineAgent(misspelt))).toEqual([
      'falback: There is no option `falback`. Did you mean `fallback`?',
    ]);
    expect(messagesOf(created({ agents: [misspelt] }))).toEqual([
      'agents[0].falback: There is no option `falback`. Did you mean `fallback`?',
    ]);
  });

  it('of start, resume, recover and close is refused with the one that was meant', async () => {
    const orchestrator = createOrchestrator({ agents: [coder], store: memoryStore() });
    const plan = { steps: [] };
    expect(messagesOf(() => orchestrator.start({ goal: 'Go', plan, runID: 'r' } as never))).toEqual(
      ['runID: There is no option `runID`. Did you mean `runId`?'],
    );
    const carryover = { carryover: true } as never;
    await expect(orchestrator.resume('r', carryover)).rejects.toThrow('`carryOver`?');
    await expect(orchestrator.recover(carryover)).rejects.toThrow('`carryOver`?');
    expect(messagesOf(() => orchestrator.recoverEvery(1_000, carryover))).toEqual([
      'carryover: There is no option `carryover`. Did you mean `carryOver`?',
    ]);
    await expect(orchestrator.runs({ label: {} } as never)).rejects.toThrow('`labels`?');
    await expect(orchestrator.close({ grace: 1 } as never)).rejects.toThrow('graceMs');
  });

  it('of a policy is refused with the one that was meant', () => {
    expect(() => definePolicy({ limits: { maxReplan: 1 } } as never)).toThrow(
      'Did you mean `limits.maxReplans`?',
    );
  });

  it('of a given plan is refused, and no agent is called', () => {
    const orchestrator = createOrchestrator({ agents: [coder] });
    const first = { id: 'a', agent: 'coder', task: 'Write the code' } as const;
    const second = { ...first, id: 'b', depends_on: ['a'] };
    const start = (): unknown =>
      orchestrator.start({ goal: 'Go', plan: { steps: [first, second] } });
    expect(messagesOf(start)).toEqual([
      'steps[1].depends_on: There is no `depends_on` in a plan. Did you mean `dependsOn`?',
    ]);
  });
});

describe('a plan of a planner', () => {
  it('with a misspelt key goes back to the planner with the key that was meant', async () => {
    const told: string[] = [];
    const orchestrator = createOrchestrator({
      agents: [coder],
      planner: ({ issues }) => {
        told.push(...issues.map(({ message }) => message));
        const key = issues.length === 0 ? 'depends_on' : 'dependsOn';
        const step = { agent: 'coder', task: 'Write the code', priority: 1 } as const;
        return {
          steps: [
            { ...step, id: 'a' },
            { ...step, id: 'b', [key]: ['a'] },
          ],
        };
      },
      policy: presets.boundedReplan(),
    });
    const report = await orchestrator.start({ goal: 'Go' }).done;
    expect(told).toEqual(['There is no `depends_on` in a plan. Did you mean `dependsOn`?']);
    expect(report.finalPlan?.steps.map(({ dependsOn }) => dependsOn)).toEqual([[], ['a']]);
  });
});

describe('a policy', () => {
  it('may name only agents of the team, also where the compiler does not know them', () => {
    const names: string[] = ['coder', 'codr', 'reviewer'];
    const policy = presets.dynamic({ approval: { agents: names } });
    expect(messagesOf(created({ agents: [coder], policy }))).toEqual([
      "policy.approval.agents[1]: There is no agent 'codr' in the team. Did you mean `coder`?",
      "policy.approval.agents[2]: There is no agent 'reviewer' in the team. The team is: coder",
    ]);
  });
});

describe('a value of another kind', () => {
  it.each([
    [() => createOrchestrator(...([] as unknown as [never])), 'got undefined'],
    [created(null as never), 'got null'],
    [created(Promise.resolve({})), 'got a promise: await it first'],
  ])('instead of options is refused with an example of the call', (act, got) => {
    expect(messagesOf(act)).toEqual([
      `: Expected options, such as createOrchestrator({ agents: [agent], planner }), ${got}`,
    ]);
  });

  it('instead of a goal, a plan, a store or an agent says what to pass', () => {
    const orchestrator = createOrchestrator({ agents: [coder] });
    expect(messagesOf(() => orchestrator.start('Say hello' as never))).toEqual([
      ": Expected options, such as orchestrator.start({ goal: 'Say hello' }), got string",
    ]);
    const plan = Promise.resolve({ steps: [] }) as never;
    expect(messagesOf(() => orchestrator.start({ goal: 'Go', plan }))).toEqual([
      ': Expected a plan: { steps: [...] }, got a promise: await it first',
    ]);
    expect(messagesOf(created({ agents: [coder], store: Promise.resolve(memoryStore()) }))).toEqual(
      [
        'store: Expected a store, such as memoryStore() of planwright/store, got a promise: await it first',
      ],
    );
    const idle = { name: 'coder', description: 'Writes code' };
    expect(messagesOf(() => defineAgent(idle as never))).toEqual([
      'run: Expected a function that does the work, got undefined: run: async (call) => output',
    ]);
  });
});

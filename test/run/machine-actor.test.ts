import { describe, expect, it } from 'vitest';
import type { ActorRefFrom } from 'xstate';
import { createActor, setup, toPromise } from 'xstate';

import { createOrchestrator, defineAgent, definePolicy } from '../../src/index.js';

/* `orchestrator.machine` under XState's own interpreter. test/scenarios compares its facts with those of runs. */

const worker = defineAgent({ name: 'worker', description: 'Works', run: ({ task }) => task });

const orchestrator = createOrchestrator({
  agents: [worker],
  planner: () => ({ steps: [{ id: 'one', agent: 'worker', task: 'Do it' }] }),
  policy: definePolicy({ approval: { agents: ['worker'] } }),
});

type MachineActor = ActorRefFrom<typeof orchestrator.machine>;

/** Answers the question of the run as soon as it is asked. */
const approving = (actor: MachineActor): string[] => {
  const facts: string[] = [];
  actor.on('*', ({ type }) => {
    facts.push(type);
  });
  actor.on('approval.requested', ({ requestId }) => {
    const [open] = actor.getSnapshot().context.questions;
    expect(open).toMatchObject({
      requestId,
      question: 'The policy asks for approval before worker starts',
    });
    actor.send({ type: 'approval.grant', requestId, answer: 'Yes' });
  });
  return facts;
};

const factsOfRun = async (): Promise<string[]> => {
  const facts: string[] = [];
  const run = orchestrator.start({ goal: 'Go' });
  run.subscribe((fact) => {
    facts.push(fact.type);
    if (fact.type === 'approval.requested') void run.approve(fact.requestId, 'Yes');
  });
  await run.done;
  return facts;
};

describe('the machine of an orchestrator as an actor', () => {
  it('emits every fact of the run, and its questions carry their text', async () => {
    const actor = createActor(orchestrator.machine, { input: { goal: 'Go' } });
    const facts = approving(actor);
    actor.start();
    expect(await toPromise(actor)).toMatchObject({ status: 'completed' });
    expect(facts).toContain('agent.answered');
    expect(facts).toEqual(await factsOfRun());
  });

  it('emits them also when another machine invokes it', async () => {
    const parent = setup({ actors: { goal: orchestrator.machine } }).createMachine({
      initial: 'running',
      states: {
        running: { invoke: { id: 'goal', src: 'goal', input: { goal: 'Go' }, onDone: 'ended' } },
        ended: { type: 'final' },
      },
    });
    const actor = createActor(parent);
    const facts = approving(actor.getSnapshot().children['goal'] as MachineActor);
    actor.start();
    await toPromise(actor);
    expect(facts).toEqual(await factsOfRun());
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';

import { describe, expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { createActor, fromPromise, setup } from 'xstate';

import { charts } from '../scripts/visualize.js';
import { agentCallMachine } from '../visualizations/agent-call.machine.js';
import { approvalMachine } from '../visualizations/approval.machine.js';
import { breakerMachine } from '../visualizations/breaker.machine.js';
import { orchestratorMachine } from '../visualizations/orchestrator.machine.js';
import { stepMachine } from '../visualizations/step.machine.js';
import { edgesOf } from './machines/machine-edges.js';

/* The files to paste. Importing them here makes `npm run typecheck` check them, too. */

const pastedMachines: Readonly<Record<string, AnyStateMachine>> = {
  orchestrator: orchestratorMachine,
  step: stepMachine,
  'agent-call': agentCallMachine,
  approval: approvalMachine,
  breaker: breakerMachine,
};

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const namesOf = ({ implementations }: AnyStateMachine): unknown =>
  Object.entries(implementations).map(([kind, named]) => [
    kind,
    Object.keys(named as object).sort(),
  ]);

describe.each(charts)('the chart %s to paste', (name, machine) => {
  const source = readFileSync(
    join(import.meta.dirname, '..', 'visualizations', `${name}.machine.ts`),
    'utf8',
  );

  it('is the definition of the running machine, with every name it has', () => {
    const pasted = pastedMachines[name]!;
    expect(plain(pasted.config)).toEqual(plain(machine.config));
    expect(namesOf(pasted)).toEqual(namesOf(machine));
    expect(edgesOf(pasted)).toEqual(edgesOf(machine));
  });

  it('starts, and does nothing', () => {
    const actor = createActor(pastedMachines[name]!);
    actor.start();
    expect(actor.getSnapshot().status).toBe('active');
    actor.stop();
  });

  it('needs only its imports from xstate', () => {
    const imports = /^import \{([^}]*)\} from 'xstate';$/m;
    const taken = imports
      .exec(source)?.[1]
      ?.split(',')
      .map((word) => word.trim());
    expect(taken).toEqual(
      name === 'breaker' || name === 'approval' ? ['setup'] : ['fromPromise', 'setup'],
    );
    expect(source.match(/\b(?:import|require)\b/g)).toEqual(['import']);

    // As Stately Sketch does it: without imports and exports, and only with the names of xstate.
    const script = source.replace(imports, '').replace('export const', 'var');
    const scope: Record<string, unknown> = { setup, fromPromise };
    runInNewContext(script, scope);
    expect(edgesOf(scope[`${machine.id}Machine`] as AnyStateMachine)).toEqual(edgesOf(machine));
  });
});

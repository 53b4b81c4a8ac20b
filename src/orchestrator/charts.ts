import type { AnyActorLogic, AnyActorRef, AnyStateMachine } from 'xstate';
import { fromPromise } from 'xstate';

import type { CalledRun } from '../model/called-run.js';
import type { CallInput, CallOutcome } from '../model/calls.js';
import type { OutputLookup, Perform } from '../actors/team.types.js';
import type { JsonValue } from '../canonical-json.js';
import { isCommandToRun } from '../guards/commands.js';
import { agentCallMachine } from '../machines/agent-call/chart.js';
import { approvalMachine } from '../machines/approval/chart.js';
import { breakerMachine } from '../machines/breaker/chart.js';
import { createOrchestratorMachine } from '../machines/orchestrator/chart.js';
import type { OrchestratorContext } from '../machines/orchestrator/context.js';
import type { Settings } from '../model/settings.js';
import { stepMachine } from '../machines/step/chart.js';
import { withinFamily } from './family-events.js';

export type OrchestratorMachine = ReturnType<typeof createOrchestratorMachine>;

/** The charts by the names they call each other. Without settings they serve every orchestrator. */
export const chartsOf = (settings?: Settings): Readonly<Record<string, AnyStateMachine>> => ({
  orchestrator: createOrchestratorMachine(settings),
  step: stepMachine,
  agentCall: agentCallMachine,
  approval: approvalMachine,
  breaker: breakerMachine,
});

/**
 * The same charts with real actors, for XState's own interpreter: `createActor(machine)`. Code with the actor can send
 * commands to the chart of the goal, and no other events to any chart.
 */
export const liveMachine = (settings: Settings, perform: Perform): OrchestratorMachine => {
  const hearsNothing = (): boolean => false;
  const performCall = performLogic(perform);
  const agentCall = withinFamily(
    agentCallMachine.provide({ actors: { performCall } }),
    hearsNothing,
  );
  const approval = withinFamily(approvalMachine.provide({}), hearsNothing);
  const step = withinFamily(
    stepMachine.provide({
      actors: { agentCall, approval, orchestrator: lazyLogic(() => machine) as never },
    }),
    hearsNothing,
  );
  const made: OrchestratorMachine = createOrchestratorMachine(settings).provide({
    actors: {
      agentCall,
      breaker: withinFamily(breakerMachine.provide({}), hearsNothing),
      approval,
      step: step as never,
    },
  });
  const machine = withinFamily(made, (event, context) =>
    isCommandToRun(context as OrchestratorContext, event),
  );
  return machine;
};

interface KeptOutputs {
  readonly byKey: Map<string, JsonValue>;
  readonly partial: Set<string>;
  /** The same for every call of a run. */
  readonly lookup: OutputLookup;
}

/** Outputs are kept per actor system, and are collected together with it. */
const performLogic = (perform: Perform) => {
  const outputsBySystem = new WeakMap<object, KeptOutputs>();
  const outputsOf = (system: object): KeptOutputs => {
    const known = outputsBySystem.get(system);
    if (known !== undefined) return known;
    const byKey = new Map<string, JsonValue>();
    const partial = new Set<string>();
    const lookup = Object.assign((key: string) => byKey.get(key), {
      isPartial: (key: string) => partial.has(key),
    });
    const kept = { byKey, partial, lookup };
    outputsBySystem.set(system, kept);
    return kept;
  };
  return fromPromise<CallOutcome, CallInput>(async ({ input, signal, system, self }) => {
    const outputs = outputsOf(system);
    const run = calledRun(self);
    const outcome = await perform(input, { run, signal, outputs: outputs.lookup });
    if (outcome.kind === 'answered' && outcome.output !== null) {
      outputs.byKey.set(input.key, outcome.output);
      const { answer } = outcome;
      if (answer.role === 'worker' && answer.report !== 'done') outputs.partial.add(input.key);
    }
    return outcome;
  });
};

/** The root has the input and the labels of the run. */
const calledRun = (actor: AnyActorRef): CalledRun => {
  let root = actor;
  while (root._parent !== undefined) root = root._parent;
  const { runId, labels, input } = (root.getSnapshot() as { readonly context: OrchestratorContext })
    .context;
  return { runId, labels, input };
};

/** A chart that contains itself, a level deeper: resolved on use, because it is not created yet. */
const lazyLogic = (resolve: () => AnyStateMachine): AnyActorLogic =>
  new Proxy({} as AnyActorLogic, {
    get: (_target, property): unknown => Reflect.get(resolve(), property),
    has: (_target, property) => Reflect.has(resolve(), property),
  });

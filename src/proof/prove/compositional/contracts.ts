import type { CallRequest, CallResult, FailureCode } from '../../../model/calls.js';
import { hasGate } from '../../../guards/gates.js';
import type { AgentCallInput } from '../../../machines/agent-call/chart.js';
import type { OrchestratorContext } from '../../../machines/orchestrator/context.js';
import type { StepInput } from '../../../machines/step/context.js';
import type { StepOutcome } from '../../../model/step-outcome.js';
import { NOTHING } from '../metrics.js';
import type { Frame, Move, OpenCall, System } from '../model.types.js';
import { askedAt } from '../moves/asked.js';
import { answerMove } from '../moves/call-answers.js';
import type { Repertoire } from '../moves/replies.js';
import { repliesTo } from '../moves/replies.js';
import { isGracePeriod } from '../moves/wall-time.js';
import { HANDED_ON, liveSteps } from '../projection/live-steps.js';
import { callVariantOf } from './call-system.js';
import type { Contract, ContractEnd } from './contract.js';
import { detailOf, STOPPED } from './contract.js';

/** The proved contracts of the charts below. */
export interface Contracts {
  readonly calls: ReadonlyMap<string, Contract>;
  /** A step of a plan, and a handed-off step. */
  readonly planned?: Contract;
  readonly handedOn?: Contract;
  /** A sub-plan one level deeper. */
  readonly subplan?: Contract;
}

/** Every answer of every child, by its contract. */
export const contractMoves = (contracts: Contracts, repertoire: Repertoire, frame: Frame): Move[] =>
  [...frame.calls].flatMap(([address, call]) => {
    switch (call.actor) {
      case 'agentCall':
        return callMoves(contracts, repertoire, frame, address, call.input as AgentCallInput);
      case 'step':
        return stepMoves(contracts, repertoire, frame, address, call.input as StepInput);
      case 'orchestrator':
        return endMoves(frame, address, 'its sub-plan', contracts.subplan?.ends ?? []);
      default:
        return [];
    }
  });

/** The cost of a stopped child. */
export const costOfStopped =
  (contracts: Contracts): System['costOfStopped'] =>
  (call, address, { refused, input }) => {
    const contract = contractFor(contracts, call);
    if (contract === undefined) return NOTHING;
    const isGraceOver = input.kind === 'elapsed' && isGracePeriod(input.timer);
    if (isGraceOver && contract.cutOff !== undefined) return contract.cutOff;
    if (refused === undefined) return contract.stopped;
    return (address === refused ? contract.refused : contract.stoppedByRefusal) ?? NOTHING;
  };

/** The name of the path to the cost of a stopped child. */
export const detailOfStopped = (contracts: Contracts, call: OpenCall): string | undefined => {
  const contract = contractFor(contracts, call);
  return contract === undefined ? undefined : detailOf(contract.analysis.system.name, STOPPED);
};

/** The children whose call may exceed the budget; none without a budget. */
export const refusableIn = (contracts: Contracts, { calls }: Frame): string[] =>
  [...calls].flatMap(([address, call]) =>
    contractFor(contracts, call)?.refused === undefined ? [] : [address],
  );

const contractFor = (contracts: Contracts, { actor, input }: OpenCall): Contract | undefined => {
  switch (actor) {
    case 'agentCall':
      return contracts.calls.get(callVariantOf(input as AgentCallInput));
    case 'step':
      return stepContract(contracts, input as StepInput);
    case 'orchestrator':
      return contracts.subplan;
    default:
      return undefined;
  }
};

const stepContract = (contracts: Contracts, { task }: StepInput): Contract | undefined =>
  task === HANDED_ON ? contracts.handedOn : contracts.planned;

const stepMoves = (
  contracts: Contracts,
  { settings }: Repertoire,
  frame: Frame,
  address: string,
  input: StepInput,
): Move[] => {
  if (isTold(frame, address)) return [];
  const ends = stepContract(contracts, input)?.ends ?? [];
  const isEnding = isRunEnding(frame);
  // Only the end of the run cuts a step short.
  const possible = ends.filter(
    ({ output }) => isEnding || (output as StepOutcome).code !== 'run-ended',
  );
  const isConfirmed = hasGate(settings, 'step');
  const all = isConfirmed ? possible.flatMap(withVerdicts) : possible;
  return endMoves(frame, address, input.stepId, all);
};

/** A step that a supervisor confirmed ends with the verdict. The ladder sees only whether it has issues. */
const withVerdicts = (end: ContractEnd): ContractEnd[] => {
  const output = end.output as StepOutcome;
  if (output.status !== 'completed' || output.request !== null || output.handOff !== null) {
    return [end];
  }
  const confirmed = (hasIssues: boolean): ContractEnd => ({
    ...end,
    name: `${end.name}, confirmed${hasIssues ? ' with issues' : ''}`,
    output: { ...output, verdict: { subject: 'step', ...PASSED, hasIssues } },
  });
  return [end, confirmed(false), confirmed(true)];
};

const PASSED = { score: 100, hasPassed: true, feedback: '' } as const;

/** Of indistinguishable running steps the first stands for all. */
const isTold = ({ state }: Frame, address: string): boolean => {
  const place = address.lastIndexOf('/');
  const context = state.nodes.get(address.slice(0, place))?.snapshot.context as OrchestratorContext;
  const slot = Number(address.slice(place + '/slot-'.length));
  const steps = liveSteps(context).filter(({ isRunning, isAwaited }) => isRunning && !isAwaited);
  const own = steps.find(({ index }) => index === context.slots[slot]);
  if (own === undefined) return false;
  return steps.find(({ text }) => text === own.text) !== own;
};

const isRunEnding = ({ state }: Frame): boolean => {
  for (const { chart, snapshot } of state.nodes.values()) {
    if (chart !== 'orchestrator') continue;
    return (snapshot.context as { readonly ending: unknown }).ending !== null;
  }
  return false;
};

const endMoves = (
  frame: Frame,
  address: string,
  who: string,
  ends: readonly ContractEnd[],
): Move[] =>
  ends.map(({ name, output, cost, detail }) => ({
    ...answerMove(frame, address, `${who} ends: ${name}`, output),
    cost,
    detail,
  }));

const callMoves = (
  contracts: Contracts,
  repertoire: Repertoire,
  frame: Frame,
  address: string,
  input: AgentCallInput,
): Move[] => {
  const { request } = input;
  const ends = contracts.calls.get(callVariantOf(input))?.ends ?? [];
  const answered = ends.find(({ name }) => name === 'answered');
  const replies = repliesTo(repertoire, askedAt(frame, address, request)).flatMap((reply) =>
    'answer' in reply && answered !== undefined
      ? [{ label: reply.label, end: answered, result: answeredResult(request, reply) }]
      : [],
  );
  const isWindingDown = isStepWindingDown(frame, address);
  const failures = ends
    // Only a step that winds down has told its call.
    .filter(({ name }) => name !== 'answered' && (name !== 'run-ended' || isWindingDown))
    .map((end) => ({ label: `ends: ${end.name}`, end, result: failedResult(request, end) }));
  return [...replies, ...failures].map(({ label, end, result }) => ({
    ...answerMove(frame, address, `${request.agent} ${label}`, result),
    cost: end.cost,
    detail: end.detail,
  }));
};

const isStepWindingDown = ({ state }: Frame, address: string): boolean => {
  const parent = state.nodes.get(address.slice(0, address.lastIndexOf('/')));
  const context = parent?.snapshot.context as { readonly isWindingDown?: boolean } | undefined;
  return context?.isWindingDown === true;
};

const answeredResult = (
  { key }: CallRequest,
  {
    answer,
    hasOutput,
  }: { answer: Extract<CallResult, { kind: 'answered' }>['answer']; hasOutput: boolean },
): CallResult => ({ kind: 'answered', key, answer, hasOutput });

const failedResult = ({ key }: CallRequest, { name }: ContractEnd): CallResult => {
  const code: FailureCode = name === 'run-ended' || name === 'budget-exhausted' ? name : 'threw';
  return { kind: 'failed', key, code, reason: 'It failed' };
};

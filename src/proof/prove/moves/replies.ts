import type { SupervisorRequest, WorkerRequest } from '../../../model/calls.js';
import { levelFor } from '../../../guards/escalation.js';
import type { Settings } from '../../../model/settings.js';
import { HANDED_ON } from '../projection/live-steps.js';
import { agentsToTell } from './plan-shapes.js';
import type { PlanShapes } from './plan-shapes.js';
import type { Asked, Reply } from './replies.types.js';

/* Every answer to a call that some guard distinguishes. Each list ends with the failures. */

const THREW: Reply = { label: 'fails', code: 'threw' };
/** The callee is missing: a retry cannot help. */
const UNKNOWN: Reply = { label: 'fails for good', code: 'unknown-agent' };

export interface Repertoire {
  readonly settings: Settings;
  readonly shapes: PlanShapes;
  /** Whether plans without dependencies are enough: see lists-enough.ts. */
  readonly areListsEnough: boolean;
  /** Whether waiting steps are all alike, and are only counted: see counted-steps.ts. */
  readonly areStepsCounted: boolean;
  /** Whether a handed-off step may need an approval. */
  readonly isHandedOnAsked: boolean;
}

export const repliesTo = (repertoire: Repertoire, asked: Asked): readonly Reply[] =>
  withSpending(repertoire.settings, repliesOf(repertoire, asked));

const repliesOf = (repertoire: Repertoire, asked: Asked): readonly Reply[] => {
  const { request } = asked;
  const { settings } = repertoire;
  switch (request.role) {
    case 'worker':
      return [...workerReplies(settings, request, asked.digests), THREW, UNKNOWN];
    case 'planner':
      return [...plannerReplies(repertoire, asked), THREW];
    case 'supervisor':
      return [...supervisorReplies(settings, request), THREW];
    case 'tester':
      return [
        answered('passes', { role: 'tester', passed: true, failures: 0 }),
        answered('finds failures', { role: 'tester', passed: false, failures: 1 }),
        THREW,
      ];
    case 'summarizer':
      return [answered('sums it up', { role: 'summarizer' }), THREW];
  }
};

type Answered = Extract<Reply, { answer: unknown }>;

const answered = (label: string, answer: Answered['answer']): Answered => ({
  label,
  answer,
  hasOutput: true,
  usage: null,
});

const workerReplies = (
  settings: Settings,
  request: WorkerRequest,
  digests: readonly string[],
): Reply[] => {
  const confidences = confidencesOf(settings);
  const isVote = request.vote !== null;
  const fresh = `answer ${digests.length + 1}`;
  const sides = isVote ? [...digests, fresh] : [undefined];
  const done = sides.flatMap((digest) =>
    confidences.map((confidence) =>
      answered(
        `is done${digest === undefined ? '' : ` with ${digest}`}${surely(confidence)}`,
        digest === undefined
          ? { role: 'worker', report: 'done', confidence }
          : { role: 'worker', report: 'done', confidence, digest },
      ),
    ),
  );
  return [...done, ...wishes(settings), ...interruptions];
};

/** Completed work that another agent or plan must continue. */
const wishes = (settings: Settings): Answered[] => {
  const targets = [...agentsToTell(settings), 'nobody'];
  return confidencesOf(settings).flatMap((confidence) => [
    // Without an output: only agents see whether there is one.
    {
      ...answered(`needs to know more${surely(confidence)}`, {
        role: 'worker',
        report: 'needsContext',
        suggestion: 'Look there',
        confidence,
      }),
      hasOutput: false,
    },
    answered(`needs another plan${surely(confidence)}`, {
      role: 'worker',
      report: 'requestReplan',
      reason: 'The plan does not fit',
      agents: [],
      confidence,
    }),
    ...targets.map((agent) =>
      answered(`hands on to ${agent}${surely(confidence)}`, {
        role: 'worker',
        report: 'handOff',
        agent,
        task: HANDED_ON,
        confidence,
      }),
    ),
  ]);
};

const interruptions: readonly Answered[] = [
  answered('is blocked', { role: 'worker', report: 'blocked', reason: 'No way forward' }),
  answered('asks a person', {
    role: 'worker',
    report: 'askHuman',
    question: 'How?',
    payload: null,
  }),
];

/** Below the policy's threshold, at or above it, and none. */
const confidencesOf = ({ policy }: Settings): (number | null)[] => {
  const below = policy.approval.confidenceBelow;
  if (below === null) return [null];
  return below > 0 ? [null, below, below / 2] : [null, below];
};

const surely = (confidence: number | null): string =>
  confidence === null ? '' : `, sure by ${confidence}`;

/** Where tokens or money are bounded, any answer may be the one that spends the rest. */
const withSpending = ({ policy }: Settings, replies: readonly Reply[]): readonly Reply[] => {
  const { maxTokens, maxCostUsd } = policy.limits;
  if (maxTokens === null && maxCostUsd === null) return replies;
  const usage = {
    inputTokens: maxTokens ?? 0,
    outputTokens: 0,
    ...(maxCostUsd === null ? {} : { costUsd: maxCostUsd }),
  };
  return replies.flatMap((reply): Reply[] =>
    'answer' in reply
      ? [reply, { ...reply, label: `${reply.label} and uses the budget up`, usage }]
      : [reply],
  );
};

const plannerReplies = ({ shapes, areListsEnough }: Repertoire, asked: Asked): Reply[] => {
  const plans =
    asked.revision === 0 ? shapes.first(areListsEnough) : shapes.next(asked, areListsEnough);
  const repeated = asked.fingerprints
    .map((fingerprint) => shapes.again(fingerprint))
    .find((plan) => plan !== undefined);
  const made = [
    ...plans,
    { name: 'an empty plan', plan: { analysis: '', steps: [] } },
    ...(repeated === undefined ? [] : [{ name: 'the same plan again', plan: repeated }]),
  ];
  const issue = { code: 'invalid-shape', path: '', message: 'No plan' };
  return [
    ...made.map(({ name, plan }) =>
      answered(`makes ${name}`, { role: 'planner', plan, issues: [] }),
    ),
    answered('makes no valid plan', { role: 'planner', plan: null, issues: [issue] }),
  ];
};

const supervisorReplies = (settings: Settings, { subject }: SupervisorRequest): Reply[] =>
  verdictsOf(settings, subject).map(({ score, hasIssues }) =>
    answered(`gives ${score}${hasIssues ? ' with issues' : ''}`, {
      role: 'supervisor',
      score,
      issues: hasIssues ? ['An issue'] : [],
      feedback: '',
    }),
  );

interface Verdict {
  readonly score: number;
  readonly hasIssues: boolean;
}

/** A pass, a pass with issues, and a fail, which is an issue by itself; each of them for every level of the ladder. */
const verdictsOf = (settings: Settings, subject: SupervisorRequest['subject']): Verdict[] => {
  const gate = settings.policy.gates[subject] ?? 0;
  const seen = new Set<string>();
  return [gate, gate / 2, ...rungScores(settings)].flatMap((score) => {
    const isPass = score >= gate;
    const kind = `${isPass} ${levelFor(score, 0, settings.policy.escalation)}`;
    if (seen.has(kind)) return [];
    seen.add(kind);
    return (isPass ? [false, true] : [true]).map((hasIssues) => ({ score, hasIssues }));
  });
};

/** A score for each level of the ladder that a score alone can reach. */
export const rungScores = ({ policy }: Settings): number[] => {
  const { remind, correct, refocus } = policy.escalation.scores;
  return [100, remind, correct, refocus, 0].flatMap((score, position, all) => {
    const above = all[position - 1];
    return above === undefined || score < above ? [score] : [];
  });
};

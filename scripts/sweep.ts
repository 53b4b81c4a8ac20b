// npm run sweep -- [seconds] [seed]: random small policies, each proved by both methods where it is small enough for both.
// Every maximum must be what bounds() says. Exit code 1 when one is not.
import type { PolicyOverrides } from '../src/policy/types.js';
import { prove } from '../src/testing/prove/prove.js';
import type { ProofMethod, ProveOptions } from '../src/testing/prove/prove.types.js';
import { small } from '../test/prove/configurations.js';

const [seconds = 60, firstSeed = 1] = process.argv.slice(2).map(Number);
if (!(seconds > 0) || !Number.isSafeInteger(firstSeed)) {
  console.error('Usage: npm run sweep -- [seconds] [seed]');
  process.exit(2);
}

let state = firstSeed;

/** One of these, by the seed: the next 32 bits of a linear congruence. */
const pick = <Value>(...values: readonly [Value, ...Value[]]): Value => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return values[Math.floor((state / 2 ** 32) * values.length)] ?? values[0];
};

const overrides = () =>
  ({
    limits: {
      maxSteps: pick(1, 1, 2),
      maxReplans: pick(0, 1),
      maxDepth: pick(0, 0, 1),
      maxAttempts: pick(1, 2),
      maxFixCycles: pick(0, 1),
      maxParallel: pick(1, 2),
      maxVotes: pick(1, 1, 2),
    },
    retry: { attempts: pick(1, 2) },
    gates: {
      plan: pick(null, 50),
      code: pick(null, 50),
      step: pick(null, 50),
      goal: pick(null, 50),
    },
    approval: {
      maxQuestions: pick(0, 1),
      plan: pick(false, true),
      onReject: pick('replan', 'skip', 'fail'),
    },
    replan: {
      onLimit: pick('continue', 'finish', 'fail', 'askHuman'),
      merge: pick('replacePending', 'append', 'appendNext', 'replaceAll'),
    },
    failure: {
      onStepFailure: pick('replan', 'continue', 'stop'),
      onPlannerFailure: pick('end', 'interrupt'),
    },
  }) satisfies PolicyOverrides;

/** What is wrong with a proof; nothing when every maximum is exact. */
const wrongIn = (policy: PolicyOverrides, options: ProveOptions): string[] => {
  const { maxima, counterexample } = prove(small(policy), options);
  if (counterexample !== null) return [`${counterexample.rule}: ${counterexample.message}`];
  return Object.entries(maxima ?? {})
    .filter(([, { value, bound }]) => value !== bound)
    .map(([metric, { value, bound }]) => `${metric}: ${value} of ${bound}`);
};

const counts = { compositional: 0, wholeRun: 0, wrong: 0 };
const endsAt = performance.now() + seconds * 1000;
while (performance.now() < endsAt) {
  const policy = overrides();
  const { limits, retry } = policy;
  const team = {
    agents: ['worker'],
    planSteps: limits.maxSteps,
    planner: pick(true, true, false),
    tester: pick(true, false),
    summarizer: pick(true, false),
  };
  const isTiny =
    limits.maxSteps === 1 && limits.maxDepth === 0 && limits.maxAttempts * retry.attempts <= 2;
  const methods: ProofMethod[] = isTiny ? ['compositional', 'wholeRun'] : ['compositional'];
  for (const method of methods) {
    const wrong = wrongIn(policy, { ...team, method });
    counts[method] += 1;
    if (wrong.length === 0) continue;
    counts.wrong += 1;
    console.log(`${method}: ${wrong.join('; ')}\n  ${JSON.stringify({ policy, team })}`);
  }
}
console.log(
  `${counts.compositional} policies, ${counts.wholeRun} of them by whole run too: ${counts.wrong} wrong`,
);
process.exitCode = counts.wrong === 0 ? 0 : 1;

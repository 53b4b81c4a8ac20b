// npm run prove:growth -- [steps]: proves every preset with 0, 1, 2, 4 and 8 replans and plans of up to two steps, and prints
// the table of docs/prove.md with the growth of states. Exit code 1 when a preset is not proved.
import { presets } from '../src/policy/presets.js';
import { prove } from '../src/proof/prove/prove.js';

const REPLANS = [0, 1, 2, 4, 8];

const planSteps = Number(process.argv[2] ?? '2');

const statesOf = (name: keyof typeof presets, maxReplans: number): number => {
  // With a call budget the growth depends on whether a run can spend it.
  const policy = presets[name]({ limits: { maxReplans, maxAgentCalls: null } });
  const hasGate = Object.values(policy.gates).some((score) => score !== null);
  const team = { agents: ['worker'], tester: hasGate, summarizer: hasGate };
  const { isProved, explored } = prove(policy, { ...team, planSteps });
  if (!isProved) process.exitCode = 1;
  return explored.at(-1)?.nodes ?? 0;
};

console.log(`| preset | ${REPLANS.join(' | ')} |\n| --- |${' ---: |'.repeat(REPLANS.length)}`);
for (const name of Object.keys(presets) as (keyof typeof presets)[]) {
  const counts = REPLANS.map((maxReplans) => statesOf(name, maxReplans).toLocaleString('en'));
  console.log(`| \`${name}\` | ${counts.join(' | ')} |`);
}

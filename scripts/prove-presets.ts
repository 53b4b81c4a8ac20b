// npm run prove:presets -- [steps]: proves every preset with plans of up to three steps, each in its own process, and prints
// the table of docs/prove.md. Exit code 1 when a preset exceeds its price tag.
import { execFileSync } from 'node:child_process';

import { presets } from '../src/policy/presets.js';
import { METRICS } from '../src/proof/prove/metrics.js';
import { prove } from '../src/proof/prove/prove.js';

type PresetName = keyof typeof presets;

interface Row {
  readonly name: PresetName;
  readonly isKept: boolean;
  readonly states: number;
  readonly calls: number;
  readonly seconds: number;
  readonly mebibytes: number;
}

const HEAD = ['preset', 'states of the plan of the goal', 'maximum of calls', 'seconds', 'MiB'];

const proved = (name: PresetName, planSteps: number): Row => {
  const policy = presets[name]();
  const hasGate = Object.values(policy.gates).some((score) => score !== null);
  const { maxima, explored } = prove(policy, {
    agents: ['worker'],
    tester: hasGate,
    summarizer: hasGate,
    planSteps,
  });
  return {
    name,
    // With a call budget the price tag is an upper bound; without one it is exact.
    isKept: METRICS.every(
      (metric) => (maxima?.[metric].value ?? Infinity) <= (maxima?.[metric].bound ?? 0),
    ),
    states: explored.at(-1)?.nodes ?? 0,
    calls: maxima?.agentCalls.value ?? 0,
    // Processor time, so that other load on the machine does not matter.
    seconds: process.cpuUsage().user / 1e6,
    mebibytes: process.resourceUsage().maxRSS / 1024,
  };
};

const inProcess = (name: string, planSteps: number): Row => {
  const args = [...process.execArgv, import.meta.filename, String(planSteps), name];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Row;
};

const [stepsText = '3', only] = process.argv.slice(2);
const planSteps = Number(stepsText);

if (only !== undefined) {
  console.log(JSON.stringify(proved(only as PresetName, planSteps)));
} else {
  console.log(`| ${HEAD.join(' | ')} |\n| --- | ---: | ---: | ---: | ---: |`);
  for (const preset of Object.keys(presets)) {
    const { name, isKept, states, calls, seconds, mebibytes } = inProcess(preset, planSteps);
    const cells = [
      `\`${name}\``,
      states.toLocaleString('en'),
      calls.toLocaleString('en'),
      seconds.toFixed(0),
      mebibytes.toFixed(0),
    ];
    console.log(`| ${cells.join(' | ')} |`);
    if (isKept) continue;
    console.log(`${name} does not keep its price tag`);
    process.exitCode = 1;
  }
}

import type { ParseArgsConfig } from 'node:util';

import { presets } from '../policy/presets.js';
import type { ProveTeam } from '../proof/prove/prove.types.js';
import { CHECK_USAGE } from './check-arguments.js';
import { parsedOptions, UsageError } from './parsed-options.js';

export const USAGE = `planwright prove <preset or module> [options]

Proves what a policy promises: explores every run it allows and prints the maximum cost of a run, with a path to it.

  <preset>            ${Object.keys(presets).join(', ')}
  <module>            a file that exports a policy or an orchestrator as \`policy\`, \`orchestrator\` or \`default\`

  --agents a,b        the names of the team                            [the orchestrator's, or worker]
  --steps 3           the most steps of an explored plan               [3]
  --no-planner        the team has no planner: runs start with a plan
  --supervisor        the team has a supervisor                        [when the policy has a gate]
  --tester            the team has a tester
  --summarizer        the team has a summarizer                        [all of these as the orchestrator has them]
  --whole-run         all charts together instead of one by one: for small policies
  --html file         also writes a page: the price tag, the paths to the maxima, the charts with their coverage
  --json              prints the proof as JSON
  --help

Exit code: 0 proved, 1 refuted, 2 when the proof could not run.

${CHECK_USAGE}`;

export interface ProveArguments {
  readonly subject: string;
  /** Only the options given on the command line; the rest comes from the subject. */
  readonly team: Partial<ProveTeam>;
  readonly steps: number;
  readonly wholeRun: boolean;
  readonly html: string | undefined;
  readonly json: boolean;
}

/** The arguments, or undefined when only help is wanted. */
export const readArguments = (args: readonly string[]): ProveArguments | undefined => {
  const { values, positionals } = parsed(args);
  if (values.help === true) return undefined;
  const [command, subject, ...rest] = positionals;
  if (command !== 'prove') {
    const tried = command === undefined ? 'There is no command' : `Unknown command '${command}'`;
    throw new UsageError(
      `${tried}: try \`planwright prove boundedReplan\`, or \`planwright check\``,
    );
  }
  if (subject === undefined || rest.length > 0) {
    throw new UsageError('Name one preset or module: `planwright prove boundedReplan`');
  }
  return {
    subject,
    team: teamIn(values),
    steps: stepsIn(values.steps),
    wholeRun: values['whole-run'] === true,
    html: values.html,
    json: values.json === true,
  };
};

const OPTIONS = {
  agents: { type: 'string' },
  steps: { type: 'string' },
  'no-planner': { type: 'boolean' },
  supervisor: { type: 'boolean' },
  tester: { type: 'boolean' },
  summarizer: { type: 'boolean' },
  'whole-run': { type: 'boolean' },
  html: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies NonNullable<ParseArgsConfig['options']>;

const parsed = (args: readonly string[]) => parsedOptions(args, OPTIONS);

const teamIn = (values: ReturnType<typeof parsed>['values']): Partial<ProveTeam> => {
  const { agents, supervisor, tester, summarizer } = values;
  return {
    ...(agents === undefined ? {} : { agents: agents.split(',').filter((name) => name !== '') }),
    ...(values['no-planner'] === undefined ? {} : { planner: !values['no-planner'] }),
    ...(supervisor === undefined ? {} : { supervisor }),
    ...(tester === undefined ? {} : { tester }),
    ...(summarizer === undefined ? {} : { summarizer }),
  };
};

const stepsIn = (text = '3'): number => {
  const steps = Number(text);
  if (Number.isInteger(steps) && steps >= 1 && steps <= 8) return steps;
  throw new UsageError(`--steps must be a whole number from 1 to 8, got '${text}'`);
};

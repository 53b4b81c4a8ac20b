import type { Planner, Summarizer, Supervisor, Tester } from '../../agents/roles.js';
import type { Agent } from '../../agents/agent.js';
import type { Issue } from '../../errors.js';
import { ConfigurationError } from '../../errors.js';
import { openaiAgent } from './agent.js';
import { clientOf } from './connection.js';
import type { AskingOptions, ConnectionOptions, RoleOptions } from './options.js';
import { openaiPlanner } from './planner.js';
import { paragraphs } from './prompts/data-block.js';
import type { SoftwareRole } from './prompts/software-roles.js';
import { SOFTWARE_ROLES } from './prompts/software-roles.js';
import { openaiSummarizer } from './summarizer.js';
import { openaiSupervisor } from './supervisor.js';
import { openaiTester } from './tester.js';
import type { OpenAiTool } from './tool.js';

/** The members of a software team: its agents, and the orchestrator's own roles. */
export type SoftwareTeamMember = SoftwareRole | 'planner' | 'supervisor' | 'tester' | 'summarizer';

export interface SoftwareTeamOptions<Role extends SoftwareRole>
  extends ConnectionOptions, AskingOptions {
  /** The model of every role without its own. */
  readonly model: string;
  /** A strong model for the planner, for example, and a fast one for the reviewer. */
  readonly models?: Readonly<Partial<Record<SoftwareTeamMember, string>>>;
  /** Tools by member: to read files, change them, run the tests. @default no tools */
  readonly tools?: Readonly<Partial<Record<SoftwareTeamMember, readonly OpenAiTool[]>>>;
  /** Added to the instructions, by member: the project's conventions. */
  readonly instructions?: Readonly<Partial<Record<SoftwareTeamMember, string>>>;
  /** Only these agents. @default all eight */
  readonly roles?: readonly Role[];
}

export interface SoftwareTeam<Role extends SoftwareRole> {
  readonly agents: readonly Agent<Role, Role>[];
  readonly planner: Planner<Role>;
  readonly supervisor: Supervisor;
  readonly tester: Tester;
  readonly summarizer: Summarizer;
}

/**
 * The team of the seeds, ready to be spread into `createOrchestrator`: analyst, architect, developer, reviewer,
 * security_reviewer, fixer, researcher and coder, with planner, supervisor, tester and summarizer.
 *
 * @example
 * const orchestrator = createOrchestrator({
 *   ...softwareTeam({ model: 'gpt-5-mini', models: { planner: 'gpt-5' }, tools: { coder: [readFile, writeFile] } }),
 *   policy: presets.supervised(),
 * });
 */
export const softwareTeam = <const Role extends SoftwareRole = SoftwareRole>(
  options: SoftwareTeamOptions<Role>,
): SoftwareTeam<Role> => {
  const roles = options.roles ?? (Object.keys(SOFTWARE_ROLES) as Role[]);
  const issues = memberIssues(options, roles);
  if (issues.length > 0) throw new ConfigurationError(issues);
  const asked = memberOptions(options);
  return {
    agents: roles.map((role) => agentOf(role, roles, asked(role))),
    planner: openaiPlanner(asked('planner')),
    supervisor: openaiSupervisor(asked('supervisor')),
    tester: openaiTester(asked('tester')),
    summarizer: openaiSummarizer(asked('summarizer')),
  };
};

/** One client for all members. */
const memberOptions = (
  options: SoftwareTeamOptions<SoftwareRole>,
): ((member: SoftwareTeamMember) => RoleOptions) => {
  const { baseURL, apiKey, models, roles, ...shared } = options;
  // Those of the team, which a model has not.
  void roles;
  const client = clientOf({ ...shared, ...given({ baseURL, apiKey }) });
  return (member) => {
    const tools = options.tools?.[member] ?? [];
    const instructions = options.instructions?.[member] ?? '';
    return {
      ...shared,
      client,
      model: models?.[member] ?? options.model,
      tools,
      instructions,
    };
  };
};

const agentOf = <Role extends SoftwareRole>(
  role: Role,
  team: readonly Role[],
  { instructions = '', ...options }: RoleOptions,
): Agent<Role, Role> => {
  const definition = SOFTWARE_ROLES[role];
  const targets = team.filter((name) => definition.handOffTo.includes(name));
  return openaiAgent({
    ...options,
    name: role,
    description: definition.description,
    instructions: paragraphs(definition.instructions, instructions),
    output: definition.output,
    handOffTo: targets,
  });
};

/** Only the given options: an undefined option is a different type to the compiler. */
const given = <Options extends object>(
  options: Options,
): { [Name in keyof Options]?: NonNullable<Options[Name]> } =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Options]?: NonNullable<Options[Name]>;
  };

/** Refuses tools for an unknown role: otherwise the mistake would show only in the middle of a run. */
const memberIssues = (
  { models, tools, instructions, roles: chosen = [] }: SoftwareTeamOptions<SoftwareRole>,
  roles: readonly string[],
): Issue[] => {
  const known = new Set<string>([...roles, 'planner', 'supervisor', 'tester', 'summarizer']);
  const unknownRoles = chosen.filter((role) => !Object.hasOwn(SOFTWARE_ROLES, role));
  const named = Object.entries({ models, tools, instructions }).flatMap(([option, members]) =>
    Object.keys(members ?? {}).map((member) => ({ member, path: `${option}.${member}` })),
  );
  return [
    ...unknownRoles.map((role) => ({
      code: 'unknown-role',
      path: 'roles',
      message: `There is no role '${role}'; roles: ${Object.keys(SOFTWARE_ROLES).join(', ')}`,
    })),
    ...named.flatMap(({ member, path }) =>
      known.has(member)
        ? []
        : [
            {
              code: 'unknown-role',
              path,
              message: `'${member}' is not in this team: ${[...known].join(', ')}`,
            },
          ],
    ),
  ];
};

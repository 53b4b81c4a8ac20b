import type { Agent } from '../agents/agent.js';
import type { JsonValue } from '../canonical-json.js';
import type { AnyTeam, Team } from '../model/outputs.js';

/* What the compiler knows of a team, and what it compares. */

/** The names of a team. */
export type NameOf<Agents extends readonly Agent[]> = Agents[number]['name'];

/** The outputs of a team, as the schemas or functions of its agents type them. */
export type TeamOf<Agents extends readonly Agent[]> = Extract<
  Team<{ [Member in Agents[number] as Member['name']]: OutputOf<Member> }>,
  AnyTeam
>;

type OutputOf<Member extends Agent> =
  Member extends Agent<string, string, infer Output> ? Output : never;

/** A hand-off to an agent outside the team is a compile error at `agents`. */
export type CheckedHandOffs<Agents extends readonly Agent[]> =
  // The compiler infers `string` for an agent that hands off to no one, or to a name known at run time only.
  string extends TargetsOf<Agents>
    ? unknown
    : TargetsOf<Agents> extends NameOf<Agents>
      ? unknown
      : {
          readonly agents: {
            readonly handOffToUnknownAgent: Exclude<TargetsOf<Agents>, NameOf<Agents>>;
          };
        };

/** An agent that expects another output of a team member than it gives is a compile error at `agents`. */
export type CheckedOutputs<Agents extends readonly Agent[]> = [
  UnmetTeam<Agents[number], TeamOf<Agents>>,
] extends [never]
  ? unknown
  : { readonly agents: { readonly expectedOutputs: UnmetTeam<Agents[number], TeamOf<Agents>> } };

type UnmetTeam<Member extends Agent, Actual extends AnyTeam> =
  Member extends Agent<string, string, unknown, unknown, infer Expected>
    ? string extends Expected['agent']
      ? never
      : [Expected['agent']] extends [Actual['agent']]
        ? Exclude<Extract<Actual, { readonly agent: Expected['agent'] }>, Expected>
        : Expected
    : never;

/** An agent that expects another input than the schema gives is a compile error at `agents`. */
export type CheckedInputs<Agents extends readonly Agent[], Input> = [
  UnmetInput<Agents[number], Input>,
] extends [never]
  ? unknown
  : { readonly agents: { readonly expectedInput: UnmetInput<Agents[number], Input> } };

type UnmetInput<Member extends Agent, Input> =
  Member extends Agent<string, string, unknown, infer Expected>
    ? [JsonValue] extends [Expected]
      ? never
      : [Input] extends [Expected]
        ? never
        : Expected
    : never;

type TargetsOf<Agents extends readonly Agent[]> = NonNullable<Agents[number]['targets']>;

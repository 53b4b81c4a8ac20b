import type { JsonValue } from '../canonical-json.js';

/** The outputs of one agent's steps. */
type OutputOfAgent<Name extends string, Output> = WholeOutput<Name, Output> | OtherOutput<Name>;

/** The finished answer of the step's own agent. */
export interface WholeOutput<Name extends string, Output> {
  readonly agent: Name;
  readonly isWhole: true;
  readonly output: Output;
}

/** No output, partial work that came with a request, or the outputs of a sub-plan: no schema has checked it. */
export interface OtherOutput<Name extends string> {
  readonly agent: Name;
  readonly isWhole: false;
  readonly output: JsonValue;
}

/** The outputs of a team whose agents are not known to the compiler. */
export type AnyTeam = OutputOfAgent<string, JsonValue>;

/**
 * The outputs of a team, by the names of its agents. Narrow `agent` and `isWhole` to get the type of one agent.
 *
 * @example
 * const show = (run: Run<Team<{ coder: { files: string[] } }>>) => outputsOf(run.record(), 'coder')[0]?.files;
 */
export type Team<Outputs extends object> = {
  [Name in keyof Outputs & string]: OutputOfAgent<Name, JsonOf<Outputs[Name]>>;
}[keyof Outputs & string];

/**
 * A value as it comes back from the journal: plain, frozen JSON. An interface becomes a plain object type, so that every
 * output is also a JsonValue.
 */
export type JsonOf<Value> = JsonValue extends Value
  ? JsonValue
  : Value extends string | number | boolean | null | undefined
    ? Value
    : { readonly [Name in keyof Value]: JsonOf<Exclude<Value[Name], undefined>> };

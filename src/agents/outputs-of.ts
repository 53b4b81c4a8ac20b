import type { AnyTeam } from '../model/outputs.js';

/**
 * The finished outputs of one agent, in the order of the steps: of a report, a record, or the dependencies of a call.
 * Steps without an output, partial work and the outputs of sub-plans are left out.
 *
 * @example
 * const files = outputsOf(await run.done, 'coder').flatMap((output) => output.files);
 */
export const outputsOf = <Any extends AnyTeam, Name extends Any['agent']>(
  from: { readonly steps: readonly Any[] } | { readonly dependencies: readonly Any[] },
  agent: Name,
): readonly WholeOutputOf<Any, Name>[] => {
  const all: readonly Any[] = 'steps' in from ? from.steps : from.dependencies;
  return all.flatMap((each) =>
    each.isWhole && each.agent === agent ? [each.output as WholeOutputOf<Any, Name>] : [],
  );
};

type WholeOutputOf<Any extends AnyTeam, Name extends string> = Any extends {
  readonly isWhole: true;
  readonly agent: infer Each;
  readonly output: infer Output;
}
  ? Name extends Each
    ? Output
    : never
  : never;

import type { Agent } from '../../agents/agent.js';
import type { Internals } from '../../orchestrator/internals.js';
import type { Issue } from '../../errors.js';
import { ConfigurationError, PathError } from '../../errors.js';
import { checkedInternals, planPaths } from './generate-paths.js';
import type { ChartCoverage, PathCase, PathsOptions } from './paths.types.js';
import { runPath } from './run-path.js';

export interface TestPathsOptions extends PathsOptions {
  /** The agents whose own `run` is called; all others follow the path. @default the orchestrator's own */
  readonly agents?: readonly Agent[];
  /** How long an agent under test may take to answer, or to stop after an abort, in real time. @default 5_000 */
  readonly patienceMs?: number;
}

export interface PathTests {
  readonly cases: readonly PathCase[];
  readonly coverage: readonly ChartCoverage[];
}

const DEFAULT_PATIENCE_MS = 5_000;

/**
 * Runs your own agents along the generated paths. Each path decides everything else: plans, scores, test results,
 * people, the clock, and calls that fail before your agent's answer arrives. Your agents are really called, and their
 * own answers count. A case fails when a promise of the run is broken, an output does not fit its schema, or an agent
 * ignores its abort signal.
 *
 * @example
 * ```ts
 * const { cases } = testPaths(orchestrator, { agents: [coder] });
 * it.each(cases)('$name', async ({ run }) => {
 *   await run();
 * });
 * ```
 */
export const testPaths = (orchestrator: object, options: TestPathsOptions = {}): PathTests => {
  const internals = checkedInternals(orchestrator);
  const { agents = internals.options.agents, patienceMs = DEFAULT_PATIENCE_MS } = options;
  const issues = [...agentIssues(agents, internals), ...patienceIssues(patienceMs)];
  if (issues.length > 0) throw new ConfigurationError(issues);
  const underTest = new Map(agents.map((agent) => [agent.name, agent]));
  // An agent under test decides its own answers; the path decides which calls fail.
  const { settings, planned, coverage } = planPaths(
    internals,
    options,
    (act, { request }) => !underTest.has(request.agent) || !act.isFault || 'throws' in act.does,
  );
  return {
    coverage,
    cases: planned.map(({ path, generated }) => ({
      name: path.name,
      run: async () => {
        const setup = { options: internals.options, settings, underTest, patienceMs };
        const report = await runPath(path, generated, setup);
        if (report.problems.length > 0) throw new PathError(path, report.problems);
        return report;
      },
    })),
  };
};

const patienceIssues = (patienceMs: number): Issue[] => {
  if (Number.isFinite(patienceMs) && patienceMs >= 0) return [];
  const message = `Expected milliseconds, 0 or more, got ${patienceMs}`;
  return [{ code: 'invalid-option', path: 'patienceMs', message }];
};

const agentIssues = (agents: readonly Agent[], { settings }: Internals): Issue[] => {
  if (!Array.isArray(agents) || agents.length === 0) {
    const message = 'Expected at least one agent, made by defineAgent';
    return [{ code: 'no-agents', path: 'agents', message }];
  }
  return agents.flatMap((agent: Partial<Agent> | null, index) => {
    const path = `agents[${index}]`;
    if (typeof agent?.name !== 'string' || typeof agent.run !== 'function') {
      return [{ code: 'invalid-agent', path, message: 'Expected an agent made by defineAgent' }];
    }
    if (settings.team.agents.includes(agent.name)) return [];
    const message = `The team has no agent '${agent.name}': ${settings.team.agents.join(', ')}`;
    return [{ code: 'unknown-agent', path, message }];
  });
};

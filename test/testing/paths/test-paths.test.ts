import { describe, expect, it } from 'vitest';

import type { AgentCall } from '../../../src/index.js';
import { blocked, ConfigurationError, defineAgent } from '../../../src/index.js';
import type { PathReport } from '../../../src/testing.js';
import { PathError, testPaths } from '../../../src/testing.js';
import { coderThat, smallTeam } from './team.js';

const good = coderThat(() => ({ files: ['a.ts'] }));

type Results = readonly (PathReport | PathError)[];

const resultsOf = async (run: (call: AgentCall) => unknown, maxFaults = 1): Promise<Results> => {
  const options = { agents: [coderThat(run)], maxFaults, patienceMs: 5 };
  const { cases } = testPaths(smallTeam(good), options);
  const results: (PathReport | PathError)[] = [];
  for (const { run: take } of cases) {
    results.push(
      await take().catch((error: unknown) => {
        if (PathError.isInstance(error)) return error;
        throw error;
      }),
    );
  }
  return results;
};

const errorsIn = (results: Results): PathError[] => results.filter(PathError.isInstance);

const reportsIn = (results: Results): PathReport[] =>
  results.filter((result): result is PathReport => !PathError.isInstance(result));

const codesIn = (results: Results): string[] => [
  ...new Set(errorsIn(results).flatMap(({ issues }) => issues.map(({ code }) => code))),
];

describe('an agent in testPaths()', () => {
  it('is really called, with the call of a run, and gives its own answers', async () => {
    const calls: AgentCall[] = [];
    const results = await resultsOf((call) => {
      calls.push(call);
      return { files: [call.step.id] };
    });
    expect(codesIn(results)).toEqual([]);
    expect(calls.length).toBeGreaterThan(20);
    expect(calls.every((call) => Object.isFrozen(call) && call.key.startsWith('path/'))).toBe(true);
    expect(new Set(calls.map(({ step }) => step.id))).toContain('step-1');
    const outcomes = new Set(
      reportsIn(results).flatMap((report) => report.calls.map(({ outcome }) => outcome)),
    );
    expect([...outcomes].sort()).toEqual(['done', 'was not waited for']);
    expect(new Set(reportsIn(results).map(({ status }) => status)).size).toBeGreaterThan(2);
    expect(reportsIn(results).every(({ hasLeftPath }) => !hasLeftPath)).toBe(true);
  });

  it('may answer differently from the path: the run leaves the path and ends', async () => {
    const results = await resultsOf(() => blocked('No way'));
    expect(codesIn(results)).toEqual([]);
    const left = reportsIn(results).filter(({ hasLeftPath }) => hasLeftPath);
    expect(left.length).toBeGreaterThan(5);
    expect(left.every(({ calls }) => calls.some(({ outcome }) => outcome === 'blocked'))).toBe(
      true,
    );
  });

  it('fails a path by an output that does not match its schema, with the path so far', async () => {
    const results = await resultsOf(() => ({ files: 'a.ts' }), 0);
    expect(codesIn(results)).toEqual(['invalid-output']);
    const [error] = errorsIn(results);
    expect(error?.message).toMatch(/The agent 'coder' gave an invalid answer: files/);
    expect(error?.message).toMatch(/\n {2}1\. planner proposes a plan/);
    expect(error?.steps[0]).toBe('planner proposes a plan');
  });

  it('fails a path by continuing after an abort', async () => {
    const results = await resultsOf(() => new Promise(() => undefined));
    expect(codesIn(results).sort()).toEqual(['ignored-abort', 'no-answer']);
  });

  it('passes when it stops at the abort', async () => {
    const results = await resultsOf(({ signal, step }) =>
      step.id === 'step-1' && step.attempt === 1
        ? new Promise((_, reject) => {
            const stop = (): void => {
              reject(new Error('Stopped'));
            };
            if (signal.aborted) stop();
            else signal.addEventListener('abort', stop);
          })
        : { files: [] },
    );
    expect(codesIn(results)).toEqual(['no-answer']);
  });

  it('is reported when it throws, which is not a failure of the path', async () => {
    const results = await resultsOf(() => {
      throw new Error('Down');
    }, 0);
    expect(codesIn(results)).toEqual([]);
    const calls = reportsIn(results).flatMap((report) =>
      report.calls.map(({ outcome }) => outcome),
    );
    expect(calls).toContain('threw');
  });
});

describe('an invalid option of testPaths()', () => {
  const issuesOf = (ask: () => unknown): string[] => {
    try {
      ask();
      return [];
    } catch (error) {
      if (!ConfigurationError.isInstance(error)) throw error;
      return error.issues.map(({ code, path }) => `${code} ${path}`.trim());
    }
  };
  const stranger = defineAgent({ name: 'stranger', description: 'Not in the team', run: () => '' });

  it.each([
    ['something else than an orchestrator', () => testPaths({}), 'invalid-orchestrator'],
    ['nothing', () => testPaths(undefined as never), 'invalid-orchestrator'],
    ['no agents', () => testPaths(smallTeam(good), { agents: [] }), 'no-agents agents'],
    [
      'an agent that is not in the team',
      () => testPaths(smallTeam(good), { agents: [stranger] }),
      'unknown-agent agents[0]',
    ],
    [
      'something else than an agent',
      () => testPaths(smallTeam(good), { agents: [null as never] }),
      'invalid-agent agents[0]',
    ],
    [
      'half a fault',
      () => testPaths(smallTeam(good), { maxFaults: 0.5 }),
      'invalid-option maxFaults',
    ],
    [
      'no patience',
      () => testPaths(smallTeam(good), { patienceMs: -1 }),
      'invalid-option patienceMs',
    ],
  ])('is refused with a typed error: %s', (_, ask, issue) => {
    expect(issuesOf(ask)).toEqual([issue]);
  });
});

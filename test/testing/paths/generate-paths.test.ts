import { describe, expect, it } from 'vitest';

import { generatePaths } from '../../../src/testing.js';
import { coderThat, smallTeam, supervisedTeam } from './team.js';

const coder = coderThat(() => ({ files: [] }));

describe('the paths of an orchestrator', () => {
  const small = generatePaths(smallTeam(coder));
  const supervised = generatePaths(supervisedTeam(coder), { maxFaults: 1 });

  it('are described in sentences, each under its own name', () => {
    const names = small.paths.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain('everything as planned: completed');
    const planned = small.paths.find(({ name }) => name === 'everything as planned: completed');
    expect(planned).toEqual({
      name: 'everything as planned: completed',
      steps: ['planner proposes a plan', 'coder answers done', 'writer answers done'],
      target: 'completed',
    });
  });

  it('let every agent and role give every possible answer', () => {
    const steps = new Set([...small.paths, ...supervised.paths].flatMap((path) => path.steps));
    for (const step of [
      'planner proposes a plan with an agent outside the team',
      'planner throws',
      'coder needs context',
      'coder hands off to writer',
      'coder asks for another plan',
      'coder is blocked',
      'coder asks a person',
      'coder answers with garbage',
      'coder throws',
      'coder answers too late',
      'supervisor scores the plan 65',
      'supervisor scores the code of step-1 45',
      'supervisor scores the goal 20',
      'supervisor answers about the plan with garbage',
      'tester finds a failure',
      'a person says yes to step-1',
      'a person says no to step-1',
      'a person pauses the run',
      'a person resumes the run',
      'a person aborts the run',
      'a person skips step-1',
    ]) {
      expect(steps, step).toContain(step);
    }
  });

  it('have only the requested faults', () => {
    const none = generatePaths(smallTeam(coder), { maxFaults: 0 });
    expect(none.paths.map(({ name }) => name)).toEqual(['everything as planned: completed']);
    expect(small.paths.length).toBeGreaterThan(100);
  });

  it('leave out roles that the team does not have', () => {
    const steps = small.paths.flatMap((path) => path.steps);
    expect(steps.filter((step) => /supervisor|tester|summarizer/.test(step))).toEqual([]);
  });

  it('have the coverage of each chart, counted from the charts', () => {
    const counts = small.coverage.map(({ chart, transitions, coveredTransitions, missing }) => {
      expect(transitions - coveredTransitions).toBe(missing.length);
      return [chart, coveredTransitions > 0];
    });
    expect(counts).toEqual([
      ['orchestrator', true],
      ['step', true],
      ['agentCall', true],
      ['approval', true],
      ['breaker', false],
    ]);
  });
});

import { describe, expect } from 'vitest';

import type { AgentCall } from '../../src/agents/agent.js';
import { outputsOf } from '../../src/agents/outputs-of.js';
import { blocked, needsContext } from '../../src/agents/report.js';
import { definePolicy } from '../../src/policy/policy.js';
import { scenario } from './harness.js';
import { agentNamed, steps } from './team.js';

/** Finishes, gives up, stops half-way, or has nothing to say, by the id of the step. */
const work = ({ step }: AgentCall): unknown => {
  if (step.id === 'split') return blocked('Too hard');
  if (step.id === 'half') return needsContext('Say more', { half: true });
  return step.id === 'silent' ? null : { did: step.id };
};

describe('an output', () => {
  scenario(
    'is whole only when the agent of the step itself has finished it, for dependents and in the report',
    () => ({
      options: {
        agents: [
          agentNamed('worker', work),
          agentNamed('reader', (call) => ({
            seen: call.dependencies.map(({ stepId, isWhole }) => [stepId, isWhole]),
            finished: outputsOf(call, 'worker'),
          })),
        ],
        planner: ({ depth }) => ({
          steps:
            depth === 0
              ? steps('whole', 'split', 'half', 'silent', 'reader:end<whole,split,half,silent')
              : steps('part', 'reader:inner<part'),
        }),
        policy: definePolicy({ limits: { maxAttempts: 1, maxReplans: 0, maxDepth: 1 } }),
      },
    }),
    ({ report }) => {
      expect(report.steps.map(({ id, isWhole }) => [id, isWhole])).toEqual([
        ['whole', true],
        ['split', false],
        ['half', false],
        ['silent', false],
        ['end', true],
        ['split/part', true],
        ['split/inner', true],
      ]);
      const [end, inner] = outputsOf(report, 'reader');
      expect(end).toEqual({
        seen: [
          ['whole', true],
          ['split', false],
          ['half', false],
          ['silent', false],
        ],
        finished: [{ did: 'whole' }],
      });
      expect(inner).toEqual({ seen: [['split/part', true]], finished: [{ did: 'split/part' }] });
      expect(outputsOf(report, 'worker')).toEqual([{ did: 'whole' }, { did: 'split/part' }]);
      expect(outputsOf(report, 'missing')).toEqual([]);
    },
  );
});

import { jsonByteLength } from '../../canonical-json.js';
import type { FactBody } from '../../model/facts.js';
import type { Check } from './evidence.js';
import { Findings, follow } from './evidence.js';

/**
 * Invariant 11, call by call: no call is made once calls, tokens or money are spent, and no output is too large. A call
 * is counted when it is requested, so one that a breaker refuses counts too.
 */
export const checkBudgets: Check = ({ facts, policy: { limits } }) => {
  const findings = new Findings();
  const spent = { calls: 0, tokens: 0, costUsd: 0 };
  const within = (used: number, most: number | null, name: string, key: string): void =>
    findings.expect(
      most === null || used < most,
      'ceilings-held',
      `${key} is requested with ${used} of ${most} ${name} used`,
    );
  const count = (usage: FactBody<'agent.answered'>['usage'] | undefined): void => {
    spent.tokens += (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
    spent.costUsd += usage?.costUsd ?? 0;
  };
  const ask = (key: string): void => {
    within(spent.calls, limits.maxAgentCalls, 'maxAgentCalls', key);
    within(spent.tokens, limits.maxTokens, 'maxTokens', key);
    within(spent.costUsd, limits.maxCostUsd, 'maxCostUsd', key);
    spent.calls += 1;
  };
  follow(facts, findings, {
    'agent.called': ({ key }) => ask(key),
    'agent.failed': ({ key, code, usage }) => {
      if (code === 'breaker-open') ask(key);
      count(usage);
    },
    'agent.answered': ({ key, usage, output }) => {
      count(usage);
      const isSmall = sizeOf(output) <= limits.maxOutputBytes;
      findings.expect(isSmall, 'ceilings-held', `the output of ${key} exceeds maxOutputBytes`);
    },
  });
  return findings.violations;
};

const sizeOf = (output: FactBody<'agent.answered'>['output']): number =>
  output === null ? 0 : jsonByteLength(output);

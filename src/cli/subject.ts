import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { definePolicy } from '../policy/policy.js';
import { presets } from '../policy/presets.js';
import type { Policy, PolicyOverrides } from '../policy/types.js';
import { UsageError } from './arguments.js';

/** The policy that is meant by the name of a preset or the path of a module. */
export const policyOf = async (subject: string): Promise<Policy> => {
  if (Object.hasOwn(presets, subject)) return presets[subject as keyof typeof presets]();
  const found = await exportedBy(subject);
  return definePolicy(found);
};

const exportedBy = async (path: string): Promise<PolicyOverrides> => {
  const exports = await load(path);
  const candidates = [exports['policy'], exports['orchestrator'], exports['default']];
  for (const candidate of candidates) {
    if (typeof candidate !== 'object' || candidate === null) continue;
    // An orchestrator has its policy with it.
    const policy: unknown = 'policy' in candidate ? candidate.policy : candidate;
    if (typeof policy === 'object' && policy !== null) return policy;
  }
  throw new UsageError(
    `${path} exports no policy: export one as \`policy\`, or an orchestrator as \`orchestrator\``,
  );
};

const load = async (path: string): Promise<Record<string, unknown>> => {
  try {
    return (await import(pathToFileURL(resolve(path)).href)) as Record<string, unknown>;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const names = Object.keys(presets).join(', ');
    throw new UsageError(
      `'${path}' is no preset (${names}), and as a module it cannot be loaded: ${reason}`,
    );
  }
};

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { PlanwrightError } from '../errors.js';
import { definePolicy } from '../policy/policy.js';
import { presets } from '../policy/presets.js';
import type { Policy, PolicyOverrides } from '../policy/types.js';
import { UsageError } from './arguments.js';
import { nearest } from './nearest.js';

/** The policy that is meant by the name of a preset or the path of a module. */
export const policyOf = async (subject: string): Promise<Policy> => {
  if (Object.hasOwn(presets, subject)) return presets[subject as keyof typeof presets]();
  if (!existsSync(resolve(subject))) throw new UsageError(nothingThere(subject));
  const found = await exportedBy(subject);
  try {
    return definePolicy(found);
  } catch (error) {
    if (!PlanwrightError.isInstance(error)) throw error;
    throw new UsageError(`${subject}: ${error.message}`);
  }
};

const nothingThere = (subject: string): string => {
  const names = Object.keys(presets);
  const near = nearest(subject, names);
  if (/[./\\]/.test(subject)) return `There is no file ${resolve(subject)}`;
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  return `There is no preset '${subject}'.${hint} The presets are ${names.join(', ')}; a module is named by its file`;
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
  const names = Object.keys(exports);
  const has = names.length === 0 ? 'nothing' : names.join(', ');
  throw new UsageError(
    `${path} exports ${has} and no policy: export one as \`policy\`, or an orchestrator as \`orchestrator\``,
  );
};

const load = async (path: string): Promise<Record<string, unknown>> => {
  try {
    return (await import(pathToFileURL(resolve(path)).href)) as Record<string, unknown>;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${path} cannot be loaded as a module: ${reason}`);
  }
};

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { internalsOf } from '../orchestrator/internals.js';
import { PlanwrightError } from '../errors.js';
import { definePolicy } from '../policy/policy.js';
import { presets } from '../policy/presets.js';
import type { Policy, PolicyOverrides } from '../model/policy.js';
import type { ProveTeam } from '../proof/prove/prove.types.js';
import { closestName } from '../closest-name.js';
import { UsageError } from './parsed-options.js';

/** The subject of a proof, as its module describes it. */
export interface Subject {
  readonly policy: Policy;
  /** The team of the orchestrator; undefined when the module exports only a policy. */
  readonly team: ProveTeam | undefined;
}

/** Finds the subject: a preset by its name, or a module by its path. */
export const subjectOf = async (subject: string): Promise<Subject> => {
  if (Object.hasOwn(presets, subject)) {
    return { policy: presets[subject as keyof typeof presets](), team: undefined };
  }
  const found = await exportedBy(subject);
  try {
    return { policy: definePolicy(found.policy), team: teamOf(found.maker) };
  } catch (error) {
    if (!PlanwrightError.isInstance(error)) throw error;
    throw new UsageError(`${subject}: ${error.message}`);
  }
};

/** Undefined for a policy, and for an orchestrator that another copy of this package has made. */
const teamOf = (orchestrator: object): ProveTeam | undefined => {
  const options = internalsOf(orchestrator)?.options;
  if (options === undefined) return undefined;
  return {
    agents: options.agents,
    planner: options.planner !== undefined,
    supervisor: options.supervisor !== undefined,
    tester: options.tester !== undefined,
    summarizer: options.summarizer !== undefined,
  };
};

const nothingThere = (subject: string): string => {
  const names = Object.keys(presets);
  const near = closestName(subject, names);
  if (/[./\\]/.test(subject)) return `There is no file ${resolve(subject)}`;
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  return `There is no preset '${subject}'.${hint} The presets are ${names.join(', ')}; a module is named by its file`;
};

interface Exported {
  readonly policy: PolicyOverrides;
  /** The orchestrator with this policy, or the policy itself. */
  readonly maker: object;
}

const exportedBy = async (path: string): Promise<Exported> => {
  const exports = await exportsOf(path);
  // An orchestrator also has a team; a policy does not.
  const candidates = [exports['orchestrator'], exports['policy'], exports['default']];
  for (const candidate of candidates) {
    if (typeof candidate !== 'object' || candidate === null) continue;
    const policy: unknown = 'policy' in candidate ? candidate.policy : candidate;
    if (typeof policy === 'object' && policy !== null) return { policy, maker: candidate };
  }
  const names = Object.keys(exports);
  const has = names.length === 0 ? 'nothing' : names.join(', ');
  throw new UsageError(
    `${path} exports ${has} and no policy: export one as \`policy\`, or an orchestrator as \`orchestrator\``,
  );
};

/** What a module exports. Throws UsageError when it is not there or cannot be loaded. */
export const exportsOf = async (path: string): Promise<Record<string, unknown>> => {
  if (!existsSync(resolve(path))) throw new UsageError(nothingThere(path));
  try {
    return (await import(pathToFileURL(resolve(path)).href)) as Record<string, unknown>;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${path} cannot be loaded as a module: ${reason}`);
  }
};

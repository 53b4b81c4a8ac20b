import { loadAllParts } from '../../orchestrator/load-all-parts.js';
import type { Policy } from '../../model/policy.js';
import type { Simulation } from './run-world.js';
import { runWorld } from './run-world.js';
import type { Setting } from './policies.js';
import { paceOf, SETTING_COUNTS, settingOf } from './policies.js';
import { Random } from './random.js';
import type { Replacements } from './scripted-team.js';
import { SimulatedTeam } from './scripted-team.js';
import type { Omissions, World } from './world.js';
import { worldOf } from './world.js';

/** The team and policy of the worlds. */
export interface SimulatorOptions {
  /** The names of the team. @default three built-in agents */
  readonly agents?: readonly string[] | undefined;
  /** One policy for all worlds. @default all six presets in turn, with random overrides */
  readonly policy?: Policy | undefined;
}

/** Runs worlds, one after the other. Worlds of one simulator share everything that does not depend on the seed. */
export interface Simulator {
  run(seed: number, omissions?: Omissions): Promise<Simulation>;
}

const AGENTS: readonly string[] = ['worker', 'architect', 'reviewer'];

/** A simulator, with or without bugs planted in it. */
export const createSimulator = (
  { agents = AGENTS, policy }: SimulatorOptions = {},
  replacements: Replacements = {},
): Simulator => {
  const team = new SimulatedTeam(agents, replacements);
  const settings = new Map<string, Setting>();
  return {
    run: async (seed, omissions) => {
      await loadAllParts();
      const world = worldOf(seed, omissions);
      const settingKey = keyOf(world);
      const setting = settings.get(settingKey) ?? settingFor(settingKey, world, policy);
      settings.set(settingKey, setting);
      return runWorld(team, { world, setting, agentNames: agents });
    },
  };
};

const keyOf = ({ seed, kinds }: World): string => {
  const pace = paceOf(kinds);
  const number = new Random(`setting of ${seed}`).integer(0, SETTING_COUNTS[pace] - 1);
  return `${number} ${pace}`;
};

const settingFor = (key: string, { kinds }: World, policy: Policy | undefined): Setting => {
  const setting = settingOf(Number.parseInt(key, 10), paceOf(kinds));
  if (policy === undefined) return setting;
  const hasGates = Object.values(policy.gates).some((gate) => gate !== null);
  return { ...setting, policy, hasSupervisor: hasGates || setting.hasSupervisor };
};

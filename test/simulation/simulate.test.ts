import { describe, expect, it } from 'vitest';

import { presets } from '../../src/policy/presets.js';
import { simulate } from '../../src/proof/simulate/simulate.js';
import { createSimulator } from '../../src/proof/simulate/simulator.js';
import type { Replacements } from '../../src/proof/simulate/scripted-team.js';
import { shrink } from '../../src/proof/simulate/shrink.js';
import { traceOf } from '../../src/proof/simulate/trace.js';
import { PLANTED_BUGS } from './planted-bugs.js';

describe('one seed', () => {
  it('is one world: the same journal, byte for byte, whatever was simulated before', async () => {
    const first = createSimulator();
    const journals = new Map<number, string>();
    for (let seed = 0; seed < 80; seed += 1) {
      journals.set(seed, JSON.stringify((await first.run(seed)).journal));
    }
    const second = createSimulator();
    for (let seed = 79; seed >= 0; seed -= 1) {
      const { journal, crashes } = await second.run(seed);
      expect(JSON.stringify(journal), `seed ${seed}, ${crashes} crashes`).toBe(journals.get(seed));
    }
    expect(new Set(journals.values()).size).toBe(80);
  });

  it('has crashes, downtime and resumes', async () => {
    const simulator = createSimulator();
    let crashes = 0;
    for (let seed = 0; seed < 60; seed += 1) crashes += (await simulator.run(seed)).crashes;
    expect(crashes).toBeGreaterThan(20);
  });
});

describe('a failure', () => {
  const replacements = (caughtBy: string): Replacements =>
    PLANTED_BUGS.find((planted) => planted.caughtBy === caughtBy)?.replacements ?? {};

  it('is shrunk to what it needs, and still violates the same invariant', async () => {
    const simulator = createSimulator({}, replacements('parallel-cap'));
    let failing = await simulator.run(0);
    // A world with more faults than the broken promise needs.
    const isWanted = (): boolean => failing.violations.length > 0 && failing.faults.length > 7;
    for (let seed = 1; !isWanted(); seed += 1) {
      failing = await simulator.run(seed);
    }
    const shrunk = await shrink(simulator, failing, {});
    expect(shrunk.simulation.violations.map(({ name }) => name)).toContain('parallel-cap');
    expect(shrunk.simulation.faults.length).toBeLessThan(failing.faults.length);
    const again = await simulator.run(failing.seed, shrunk.omissions);
    expect(JSON.stringify(again.journal)).toBe(JSON.stringify(shrunk.simulation.journal));
  });

  it('is printed line by line: the invariant, the faults, every fact', async () => {
    const simulator = createSimulator({}, replacements('intent-first'));
    const failing = await simulator.run(0);
    const trace = traceOf(failing);
    expect(trace).toMatch(/^seed 0: /);
    expect(trace).toContain('broken: intent-first (8) at fact ');
    for (const fault of failing.faults) expect(trace).toContain(`fault: ${fault}`);
    const facts = failing.journal.flatMap((entry) => entry.facts);
    for (const { sequence, type } of facts) expect(trace).toContain(`${sequence}. ${type}`);
  });
});

describe('simulate', () => {
  it("plays a user's own policy with the names of their team", async () => {
    const policy = presets.supervised({ time: { limitMs: 60_000 }, limits: { maxDepth: 1 } });
    const seen = new Set<string>();
    const { runs, failures, shares } = await simulate({
      seed: 7,
      runs: 40,
      policy,
      agents: ['coder', 'writer'],
      onRun: ({ journal }) => {
        for (const { facts } of journal) {
          for (const fact of facts) if (fact.type === 'step.started') seen.add(fact.agent);
        }
      },
    });
    expect({ runs, failures }).toEqual({ runs: 40, failures: [] });
    expect([...seen].sort()).toEqual(['coder', 'writer']);
    expect(shares.crash).toBeGreaterThan(0);
  });

  it('leaves out the faults it is told to leave out', async () => {
    const { shares } = await simulate({ seed: 0, runs: 60, without: { kinds: ['crash'] } });
    expect(shares.crash).toBe(0);
    expect(shares['crash-downtime']).toBeGreaterThan(0);
  });
});

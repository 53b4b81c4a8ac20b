// npm run sweep -- [seconds] [seed] [option...]: random small policies. Every option may vary, and the named ones
// always do. Each policy is proved by both methods where it is small enough for both. No maximum may exceed
// bounds(), and it must equal bounds() where that is exact. Exit code 1 on a difference: then the fewest options are
// printed that show it.
import type { Turned } from './sweep-knobs.js';
import { configurationOf, isKnob, randomFrom, simplerThan, turnedAtRandom } from './sweep-knobs.js';
import { compareProofs } from './sweep-proofs.js';

const [seconds = 60, firstSeed = 1] = process.argv.slice(2, 4).map(Number);
const alwaysTurned = process.argv.slice(4);
if (!(seconds > 0) || !Number.isSafeInteger(firstSeed) || !alwaysTurned.every(isKnob)) {
  console.error('Usage: npm run sweep -- [seconds] [seed] [option...]');
  process.exit(2);
}

const STATE_LIMITS = { statesMax: 5_000, statesForWholeRunMax: 400 } as const;
const PROBABILITIES = [0.08, 0.12, 0.18, 0.3] as const;

const random = randomFrom(firstSeed);
const counts = { compositional: 0, wholeRun: 0, tooLarge: 0, wrong: 0 };

const differencesIn = (turned: Turned): readonly string[] => {
  const comparison = compareProofs(turned, STATE_LIMITS);
  if (comparison === 'too large') counts.tooLarge += 1;
  if (typeof comparison === 'string') return [];
  for (const method of comparison.methods) counts[method] += 1;
  return comparison.differences;
};

/** The fewest options that still show the difference. */
const simplest = (turned: Turned): Turned => {
  const simpler = simplerThan(turned).find((other) => differencesIn(other).length > 0);
  return simpler === undefined ? turned : simplest(simpler);
};

const endsAt = performance.now() + seconds * 1000;
while (performance.now() < endsAt) {
  const probability = PROBABILITIES[Math.floor(random() * PROBABILITIES.length)] ?? 0;
  const turned = turnedAtRandom(random, probability, alwaysTurned);
  if (differencesIn(turned).length === 0) continue;
  counts.wrong += 1;
  const least = simplest(turned);
  console.log(`${differencesIn(least).join('; ')}\n  ${JSON.stringify(configurationOf(least))}`);
}
console.log(
  `${counts.compositional} policies, ${counts.wholeRun} of them by whole run too, ${counts.tooLarge} too large: ${counts.wrong} wrong`,
);
process.exitCode = counts.wrong === 0 ? 0 : 1;

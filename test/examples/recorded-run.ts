import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { createScript } from '../../examples/supervised-run/script/script.js';
import { startScriptedServer } from '../../examples/supervised-run/scripted-server.js';
import { copyProject } from '../../examples/supervised-run/project/copy.js';
import { createTeam } from '../../examples/supervised-run/team.js';
import { runTests } from '../../examples/supervised-run/test-run/run-tests.js';
import { ActivityLog } from '../../examples/supervised-run/view/activity.js';
import type { StoryLine } from '../../examples/supervised-run/view/story.js';
import type { Fact } from '../../src/index.js';
import { factSchema } from '../../src/model/facts.js';

const sample = join(import.meta.dirname, '../../examples/supervised-run/sample-project');

export const recordingFile = join(import.meta.dirname, 'recorded-facts.jsonl');

/** The facts of one recorded run of the demo. */
export const recordedFacts = (): Fact[] =>
  readFileSync(recordingFile, 'utf8')
    .trim()
    .split('\n')
    .map((line) => factSchema.parse(JSON.parse(line)));

/** The facts of a run of the demo today. */
export const demoFacts = async (): Promise<Fact[]> => {
  const server = await startScriptedServer(createScript(0));
  const { folder, remove } = await copyProject(sample);
  try {
    const before = await runTests(folder, { signal: new AbortController().signal });
    const orchestrator = createTeam({
      connection: { baseURL: server.baseURL, apiKey: 'none', model: 'scripted' },
      structuredOutputs: 'schema',
      folder,
      before,
      isProtected: (path) => !path.startsWith('src/'),
      limitMs: 600_000,
    });
    const run = orchestrator.start({ goal: 'Make the failing tests pass', runId: 'demo' });
    const facts: Fact[] = [];
    run.subscribe((fact) => facts.push(fact));
    await run.done;
    return facts;
  } finally {
    await server.close();
    remove();
  }
};

/** Without what depends on the machine and on the wording of prompts. */
export const evened = (facts: readonly Fact[]): Fact[] =>
  facts.map((fact) => {
    const at = 1_700_000_000_000 + fact.sequence * 150;
    const hasUsage = fact.type === 'agent.answered' && fact.usage !== null;
    const usage = hasUsage ? { usage: { inputTokens: 1_500, outputTokens: 150 } } : {};
    return { ...fact, ...usage, at };
  });

/** The texts of the facts, without the time. */
export const storyOf = (facts: readonly Fact[]): Omit<StoryLine, 'at'>[] => {
  const log = new ActivityLog();
  for (const fact of facts) log.add(fact);
  return log.story.map(({ about, text, tone }) => ({ about, text, tone }));
};

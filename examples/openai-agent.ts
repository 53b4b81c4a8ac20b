import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';

import { z } from 'zod';

import { createOrchestrator, presets } from '../src/index.js';
import { openaiAgent, openaiTool } from '../src/services/openai/index.js';

const model = process.env['OPENAI_MODEL'] ?? 'gpt-5-mini';

// A tool is a zod object and a function. Restrict what a model may reach: here, files of one folder.
const readDocument = openaiTool({
  name: 'read_document',
  description: 'Reads one document of the project, such as README.md',
  parameters: z.object({ name: z.string() }),
  run: ({ name }, { signal }) => readFile(basename(name), { encoding: 'utf8', signal }),
});

const librarian = openaiAgent({
  name: 'librarian',
  description: 'Answers questions from the documents of the project',
  instructions: 'Read before you answer, and name the documents you have read.',
  model,
  tools: [readDocument],
  maxToolRounds: 4,
  output: z.object({ answer: z.string(), documents: z.array(z.string()) }),
});

const orchestrator = createOrchestrator({ agents: [librarian], policy: presets.boundedReplan() });

const run = orchestrator.start({
  goal: 'Find out what this package does',
  plan: { steps: [{ id: 'read', agent: 'librarian', task: 'Say what the package does' }] },
});

const report = await run.done;
console.log(report.status, JSON.stringify(report.steps[0]?.output));
console.log(`${report.usage.inputTokens} tokens in, ${report.usage.outputTokens} out`);

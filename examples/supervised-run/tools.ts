// The tools of the agents: read, list, write and test, in one folder only.
import { z } from 'zod';

import type { OpenAiTool } from '../../src/services/openai/index.js';
import { openaiTool } from '../../src/services/openai/index.js';
import { listInside, plainPath, readInside, writeInside } from './project/inside.js';
import { failedTests, failureText, runTests } from './test-run/run-tests.js';

export interface ProjectTools {
  readonly listFiles: OpenAiTool;
  readonly readFile: OpenAiTool;
  readonly writeFile: OpenAiTool;
  readonly runTests: OpenAiTool;
}

export interface ToolOptions {
  /** Files that define the expected behaviour; agents cannot change them. */
  readonly isProtected: (path: string) => boolean;
}

const path = z.string().min(1).max(300).describe('Relative to the project, as in src/a.js');

export const projectTools = (folder: string, { isProtected }: ToolOptions): ProjectTools => ({
  listFiles: openaiTool({
    name: 'list_files',
    description: 'Lists the paths of all files of the project',
    parameters: z.object({}),
    run: () => listInside(folder),
  }),
  readFile: openaiTool({
    name: 'read_file',
    description: 'Returns the text of one file',
    parameters: z.object({ path }),
    run: (parameters) => readInside(folder, parameters.path),
  }),
  writeFile: openaiTool({
    name: 'write_file',
    description: 'Writes one file: its whole new text, not only the part that changes',
    parameters: z.object({ path, text: z.string() }),
    run: async (parameters) => {
      const place = plainPath(parameters.path);
      if (isProtected(place)) {
        throw new Error(`${place} is a test and cannot be changed`);
      }
      await writeInside(folder, place, parameters.text);
      return { written: place };
    },
  }),
  runTests: openaiTool({
    name: 'run_tests',
    description: 'Runs all tests of the project and lists the failing ones',
    parameters: z.object({}),
    run: async (_parameters, { signal }) => {
      const testRun = await runTests(folder, { signal });
      return {
        tests: testRun.tests.length,
        failures: failedTests(testRun).map(failureText),
        problem: testRun.problem,
      };
    },
  }),
});

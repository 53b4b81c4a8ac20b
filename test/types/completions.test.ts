import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/*
 * The completions of an editor: names of the team, where a name of the team belongs. Taken from TypeScript's own
 * language service, with the cursor at the bar.
 */

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const fileName = join(root, 'test', 'types', 'typed-by-a-user.ts');

const PROLOGUE = `
import { createOrchestrator, defineAgent, definePolicy, handOff, presets, requestReplan } from '../../src/index.js';
const coder = defineAgent({ name: 'coder', description: 'Writes', run: async () => 'x' });
const reviewer = defineAgent({ name: 'reviewer', description: 'Reads', run: async () => 'x' });
type Team = 'coder' | 'reviewer';
`;

const service = (() => {
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  let text = '';
  let version = 0;
  const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => ({ ...options, noEmit: true }),
    getScriptFileNames: () => [fileName],
    getScriptVersion: (path) => (path === fileName ? String(version) : '0'),
    getScriptSnapshot: (path) =>
      ts.sys.fileExists(path) || path === fileName
        ? ts.ScriptSnapshot.fromString(path === fileName ? text : readFileSync(path, 'utf8'))
        : undefined,
    getCurrentDirectory: () => root,
    getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
    fileExists: (path) => path === fileName || ts.sys.fileExists(path),
    readFile: (path) => (path === fileName ? text : ts.sys.readFile(path)),
    directoryExists: (path) => ts.sys.directoryExists(path),
    getDirectories: (path) => ts.sys.getDirectories(path),
  };
  const languageService = ts.createLanguageService(host);
  return (code: string): string[] => {
    const position = PROLOGUE.length + code.indexOf('|');
    text = PROLOGUE + code.replace('|', '');
    version += 1;
    const found = languageService.getCompletionsAtPosition(fileName, position, {});
    return (found?.entries ?? []).map(({ name }) => name).sort();
  };
})();

const NAMES = ['coder', 'reviewer'];

describe('an editor offers the names of the team', () => {
  it('in the steps that a planner returns', { timeout: 60_000 }, () => {
    const code = `createOrchestrator({ agents: [coder, reviewer], planner: () => ({ steps: [{ id: 's1', agent: '|', task: 't' }] }) });`;
    expect(service(code)).toEqual(NAMES);
  });

  it('in the plan that a run is started with', { timeout: 60_000 }, () => {
    const code = `createOrchestrator({ agents: [coder, reviewer] }).start({ goal: 'g', plan: { steps: [{ id: 's1', agent: '|', task: 't' }] } });`;
    expect(service(code)).toEqual(NAMES);
  });

  it('in a policy, for the team named there', { timeout: 60_000 }, () => {
    const code = `createOrchestrator({ agents: [coder, reviewer], policy: presets.dynamic<Team>({ approval: { agents: ['|'] } }) });`;
    expect(service(code)).toEqual(NAMES);
  });

  it('in a hand-off, for the team named there', { timeout: 60_000 }, () => {
    expect(service(`handOff<Team>({ agent: '|', task: 't' });`)).toEqual(NAMES);
  });

  it('in a request for a plan, for the team named there', { timeout: 60_000 }, () => {
    expect(service(`requestReplan<Team>({ reason: 'r', agents: ['|'] });`)).toEqual(NAMES);
  });
});

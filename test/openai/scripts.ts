import type {
  ScriptedAnswer,
  ScriptedRequest,
} from '../../examples/supervised-run/scripted-server.js';
import type { SoftwareTeamMember } from '../../src/services/openai/index.js';
import { inTurn } from '../scenarios/scripted.js';
import type { TestServer } from './servers.js';
import { serverSaying } from './servers.js';

/* Scripts for whole teams: every member is asked by a model of its own name, and has its own lines. */

type Line = ScriptedAnswer | ((request: ScriptedRequest) => ScriptedAnswer);

const members = [
  'planner',
  'supervisor',
  'tester',
  'summarizer',
  'coder',
  'reviewer',
  'fixer',
] as const;

export const modelsByMember = Object.fromEntries(members.map((name) => [name, name]));

export const serverFor = (
  scripts: Partial<Record<SoftwareTeamMember, readonly Line[]>>,
): Promise<TestServer> => {
  const lines = new Map(Object.entries(scripts).map(([name, said]) => [name, inTurn(...said)]));
  return serverSaying((request: ScriptedRequest) => {
    const next = lines.get(request.model);
    if (next === undefined) throw new Error(`${request.model} has no lines`);
    return next(request) as ScriptedAnswer;
  });
};

/** The requests to one member. */
export const asked = (requests: readonly ScriptedRequest[], model: string): ScriptedRequest[] =>
  requests.filter((request) => request.model === model);

export const step = (id: string, agent: string, task: string, dependsOn: string[] = []) => ({
  id,
  agent,
  task,
  dependsOn,
  complexity: 'simple',
  reason: null,
  requiresApproval: false,
});

export const plan = (...steps: object[]): ScriptedAnswer => ({
  json: { analysis: 'A greeting and a look at it', scope: 'simple', steps },
});

export const report = (output: unknown): ScriptedAnswer => ({
  json: { report: { kind: 'done', output, confidence: 0.9 } },
});

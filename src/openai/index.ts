export { openaiAgent } from '../services/openai/agent.js';
export { OpenAiAnswerError, OpenAiRequestError } from '../services/openai/errors.js';
export { openaiPlanner } from '../services/openai/planner.js';
export { softwareTeam } from '../services/openai/software-team.js';
export { openaiSummarizer } from '../services/openai/summarizer.js';
export { openaiSupervisor } from '../services/openai/supervisor.js';
export { openaiTester } from '../services/openai/tester.js';
export { openaiTool } from '../services/openai/tool.js';

export type { OpenAiAgentOptions } from '../services/openai/agent.js';
export type { OpenAiAnswerCode, OpenAiRequestCode } from '../services/openai/errors.js';
export type {
  AskingOptions,
  ConnectionOptions,
  ModelOptions,
  RoleOptions,
} from '../services/openai/options.js';
export type { SoftwareRole } from '../services/openai/prompts/software-roles.js';
export type {
  SoftwareTeam,
  SoftwareTeamMember,
  SoftwareTeamOptions,
} from '../services/openai/software-team.js';
export type { OpenAiTool, ToolCall } from '../services/openai/tool.js';
export type { Pricing } from '../services/openai/usage.js';

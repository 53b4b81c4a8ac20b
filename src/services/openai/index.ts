export { openaiAgent } from './agent.js';
export { OpenAiAnswerError, OpenAiRequestError } from './errors.js';
export { openaiPlanner } from './planner.js';
export { softwareTeam } from './software-team.js';
export { openaiSummarizer } from './summarizer.js';
export { openaiSupervisor } from './supervisor.js';
export { openaiTester } from './tester.js';
export { openaiTool } from './tool.js';

export type { OpenAiAgentOptions } from './agent.js';
export type { OpenAiAnswerCode, OpenAiRequestCode } from './errors.js';
export type { AskingOptions, ConnectionOptions, ModelOptions, RoleOptions } from './options.js';
export type { SoftwareRole } from './prompts/software-roles.js';
export type { SoftwareTeam, SoftwareTeamMember, SoftwareTeamOptions } from './software-team.js';
export type { OpenAiTool, ToolCall } from './tool.js';
export type { Pricing } from './usage.js';

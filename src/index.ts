export { defineAgent } from './agents/agent.js';
export { outputsOf } from './agents/outputs-of.js';
export { secret } from './agents/secret.js';
export { askHuman, blocked, done, handOff, needsContext, requestReplan } from './agents/report.js';
export {
  ConfigurationError,
  InboxFullError,
  JournalCorruptError,
  JournalMismatchError,
  OrchestratorClosedError,
  PlanError,
  PlanwrightError,
  PolicyError,
  RunClaimedError,
  RunConflictError,
  RunNotFoundError,
  SlowSubscriberError,
  StoreUnavailableError,
  AgentCallError,
} from './errors.js';
export { createOrchestrator } from './orchestrator/create-orchestrator.js';
export { validatePlan } from './plan/validate.js';
export { definePolicy } from './policy/policy.js';
export { presets } from './policy/presets.js';
export { systemClock } from './services/clock.js';

export type {
  Dispatcher,
  PlanRequest,
  Planner,
  ReviewRequest,
  Summarizer,
  Summary,
  SummaryRequest,
  Supervisor,
  Tester,
  TestRequest,
} from './agents/roles.js';
export type { AgentRetry, Agent, AgentCall, Dependency, Feedback } from './agents/agent.js';
export type { AgentReport, ReportMeta } from './agents/report.js';
export type { AnyTeam, JsonOf, Team } from './model/outputs.js';
export type { Usage } from './model/usage.js';
export type { TestResult, Verdict } from './agents/verdict.js';
export type { JsonValue } from './canonical-json.js';
export type { CorruptionReason, Issue, JournalDifference } from './errors.js';
export type { JournalEntry } from './journal/entry.js';
export type { Command } from './model/commands.js';
export type { Fact, FactType } from './model/facts.js';
export type {
  AgentMetrics,
  ApprovalRecord,
  EscalationRecord,
  RefusedRequest,
  PlanningFailure,
  OpenApproval,
  Phase,
  PlannedStepRecord,
  PlanRecord,
  RunMetrics,
  RunRecord,
  RunUsage,
  StepRecord,
  StepStatus,
  VerdictRecord,
  VoteRecord,
  VotesRecord,
} from './journal/record.js';
export type { ReportedPlan, RunReport } from './journal/report.js';
export type {
  Orchestrator,
  OrchestratorOptions,
  StartInput,
} from './orchestrator/create-orchestrator.js';
export type { RunLogic, RunSnapshot } from './orchestrator/run-logic.js';
export type { TeamOf } from './orchestrator/team.types.js';
export type { Plan, PlanStep, Votes } from './model/plan.js';
export type { Bounds } from './policy/bounds.js';
export type { Policy, PolicyOverrides } from './policy/policy.js';
export type { DurabilityOptions } from './run/durability.js';
export type { ListedRun, RunsPage, RunsQuery } from './run/list-runs.js';
export type { RecoverOptions } from './run/recovery.js';
export type { RetentionOptions } from './run/retention.js';
export type { Approval, CommandResult, FactsOptions, Rejection, Run } from './run/run.types.js';
export type { ErrorContext, OnError } from './run/live-run.types.js';
export type { Clock } from './services/clock.js';

import type { Approval, CommandResult, Rejection } from './run.types.js';

/** The commands to a run, as methods. Subclasses deliver them. */
export abstract class CommandMethods {
  protected abstract command(candidate: unknown): Promise<CommandResult>;

  approve(requestId: string, given: string | Approval = {}): Promise<CommandResult> {
    const details = isDetailed(given) ? given : { answer: given };
    const { answer = 'Approved' } = details;
    return this.command({ ...details, type: 'approval.grant', requestId, answer });
  }

  reject(requestId: string, given: string | Rejection = {}): Promise<CommandResult> {
    const details = isDetailed(given) ? given : { reason: given };
    const { reason = 'Rejected' } = details;
    return this.command({ ...details, type: 'approval.reject', requestId, reason });
  }

  skip(stepIds: readonly string[], reason?: string): Promise<CommandResult> {
    return this.command({ type: 'plan.skip', stepIds, ...saying(reason) });
  }

  skipTo(stepId: string, reason?: string): Promise<CommandResult> {
    return this.command({ type: 'plan.skipTo', stepId, ...saying(reason) });
  }

  say(text: string): Promise<CommandResult> {
    return this.command({ type: 'conversation.say', text });
  }

  pause(): Promise<CommandResult> {
    return this.command({ type: 'run.pause' });
  }

  unpause(): Promise<CommandResult> {
    return this.command({ type: 'run.unpause' });
  }

  extendTime(extraMs: number): Promise<CommandResult> {
    return this.command({ type: 'time.extend', extraMs });
  }

  abort(reason = 'Aborted by a person'): Promise<CommandResult> {
    return this.command({ type: 'run.abort', reason });
  }
}

/** Anything else is checked as a text. */
const isDetailed = <Details extends object>(given: string | Details | null): given is Details =>
  typeof given === 'object' && given !== null;

/** A missing reason is left out of the command: the journal is plain JSON. */
const saying = (reason: string | undefined): { reason?: string } =>
  reason === undefined ? {} : { reason };

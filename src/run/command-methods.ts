import type { CommandResult } from './run.types.js';

/** The commands to a run, as methods. Subclasses deliver them. */
export abstract class CommandMethods {
  protected abstract command(candidate: unknown): Promise<CommandResult>;

  approve(requestId: string, answer = 'Approved'): Promise<CommandResult> {
    return this.command({ type: 'approval.grant', requestId, answer });
  }

  reject(requestId: string, reason = 'Rejected'): Promise<CommandResult> {
    return this.command({ type: 'approval.reject', requestId, reason });
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

/** A missing reason is left out of the command: the journal is plain JSON. */
const saying = (reason: string | undefined): { reason?: string } =>
  reason === undefined ? {} : { reason };

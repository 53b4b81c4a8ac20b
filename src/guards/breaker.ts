/** The consecutive failures of one agent, and how many open its breaker. */
interface FailureCount {
  readonly failures: number;
  readonly failureLimit: number;
}

export const hasReachedFailureLimit = ({ failures, failureLimit }: FailureCount): boolean =>
  failures >= failureLimit;

/** `xstate.after.stepBudget.step.performing` is `stepBudget`. */
export const timerName = (timer: string, address: string): string => {
  const parts = timer.slice(address.length + 1).split('.');
  return (parts[0] === 'xstate' ? parts[2] : parts[0]) ?? timer;
};

/**
 * A tenth of a step's time is over. Each tick takes a tenth off the rest, until less than two are left: that is its own
 * rank, and nothing else changes.
 */
export const TICK = 'budgetTick';

/** `xstate.after.stepBudget.step.performing` is `stepBudget`. */
export const timerName = (timer: string, address: string): string => {
  const parts = timer.slice(address.length + 1).split('.');
  return (parts[0] === 'xstate' ? parts[2] : parts[0]) ?? timer;
};

/**
 * A tenth of the time of a step is over. Each tick takes a tenth off what is left, until less than two are: that is its
 * own rank, and nothing else changes by it.
 */
export const TICK = 'budgetTick';

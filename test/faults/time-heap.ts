/** The heap after everything that nobody holds is gone. Needs `node --expose-gc`. */
export const usedHeapBytes = (): number => {
  const { gc } = globalThis as { readonly gc?: () => void };
  if (gc === undefined) throw new Error('Start this process with --expose-gc');
  // Once for what is unreachable, once more for what only finalizers held.
  gc();
  gc();
  return process.memoryUsage().heapUsed;
};

/** The heap after garbage collection. Needs `node --expose-gc`. */
export const usedHeapBytes = (): number => {
  const { gc } = globalThis as { readonly gc?: () => void };
  if (gc === undefined) throw new Error('Start this process with --expose-gc');
  // Once for unreachable objects, again for those that only finalizers held.
  gc();
  gc();
  return process.memoryUsage().heapUsed;
};

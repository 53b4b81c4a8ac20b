/** Told before anything else when the run was taken over from a process that died while a call of it was in flight. */
export interface RunRecovered {
  readonly type: 'run.recovered';
  /** Such takeovers since the run began, this one included. */
  readonly takeovers: number;
}

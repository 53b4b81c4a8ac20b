/** Sent before anything else when the run was taken over from a process that died with a call in flight. */
export interface RunRecovered {
  readonly type: 'run.recovered';
  /** Such takeovers since the run began, this one included. */
  readonly takeovers: number;
}

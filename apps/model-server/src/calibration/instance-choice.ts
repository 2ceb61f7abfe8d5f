/** How many processes, with how many threads each. */
export interface InstanceShape {
  readonly instances: number;
  readonly threads: number;
}

export interface InstanceMeasurement extends InstanceShape {
  readonly runsPerSecond: number;
  /** Resident memory of all processes together after the runs. */
  readonly rssBytes: number;
}

export interface InstanceChoice extends InstanceShape {
  readonly measurements: readonly InstanceMeasurement[];
}

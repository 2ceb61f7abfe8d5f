/** How many processes, with how many threads each. */
export interface InstanceShape {
  readonly instances: number;
  readonly threads: number;
}

export interface InstanceMeasurement extends InstanceShape {
  readonly runsPerSecond: number;
  /** Resident memory of all processes together after the runs. */
  readonly rssBytes: number;
  /** Share of the processor time that its threads could have had, and got; well below 1 when others are busy too. */
  readonly cpuShare: number;
}

export interface InstanceChoice extends InstanceShape {
  /** Others used the machine during the measurement, so that it says nothing: one process a core is taken. */
  readonly disturbed: boolean;
  readonly measurements: readonly InstanceMeasurement[];
}

/**
 * An amount of memory in an output. `bytes` is null if the unit's base is unknown; `stated` is the printed text.
 */
export interface StatedMemory {
  readonly what: string;
  readonly bytes: number | null;
  readonly stated?: string;
}

/** The last known state of a training, or of a server that starts. */
export interface ProgressState {
  readonly step?: number;
  readonly totalSteps?: number;
  readonly epoch?: number;
  readonly loss?: number;
  readonly learningRate?: number;
  readonly gradNorm?: number;
  readonly secondsPerStep?: number;
  readonly stepsPerSecond?: number;
  readonly samplesPerSecond?: number;
  readonly tokensPerSecond?: number;
  readonly etaSeconds?: number;
  /** For work in parts: the number of parts, and how many are done. */
  readonly parts?: number;
  readonly partsDone?: number;
  readonly memory?: readonly StatedMemory[];
}

/** The progress in an output. The last state is the last one shown. */
export interface Progress {
  readonly states: readonly ProgressState[];
  /** The output itself says so. */
  readonly finished: boolean;
  readonly failed: boolean;
}

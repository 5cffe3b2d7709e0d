/** An amount of memory as an output calls it; `bytes` is null where its unit's base is not told, and `stated` what stands there. */
export interface StatedMemory {
  readonly what: string;
  readonly bytes: number | null;
  readonly stated?: string;
}

/** What an output last said of a training, or of a server that starts. */
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
  /** Of work in parts: how many there are, and how many of them are done. */
  readonly parts?: number;
  readonly partsDone?: number;
  readonly memory?: readonly StatedMemory[];
}

/** What an output says of its program's way. The last state is the last one shown. */
export interface Progress {
  readonly states: readonly ProgressState[];
  /** The output itself says so. */
  readonly finished: boolean;
  readonly failed: boolean;
}

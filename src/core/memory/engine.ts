/** Facts from the profiling pass when an engine asks for the remaining memory. */
export interface Profile {
  /** The device's memory. */
  readonly totalBytes: number;
  /** CUDA context and kernels, outside torch's counters. */
  readonly contextBytes: number;
  readonly weightsBytes: number;
  /** Torch's peak in a pass over the engine's largest number of tokens, including weights. */
  readonly peakBytes: number;
}

/** A server that takes a share of a GPU at startup, and fills the memory left by its model with keys and values. */
export interface Engine {
  readonly title: string;
  /** The source: file and commit. */
  readonly source: string;
  /** The key of the share. */
  readonly shareKey: string;
  /** The default share; null: the engine computes it in a way that is not modeled. */
  readonly share: number | null;
  /** The default number of tokens per pass, on a device with this much memory. */
  prefillTokens(totalMiB: number): number;
  /** The default number of concurrent sequences. */
  readonly sequences: number;
  /** Tokens whose keys and values are allocated and freed together. */
  readonly block: number;
  /** Layers with a window take less: they share memory in groups. */
  readonly groupsLayers?: true;
  /** Bytes for keys and values. */
  cacheBytes(profile: Profile, share: number): number;
}

/** An engine with its settings. */
export interface Serving {
  readonly engine: Engine;
  readonly share: number;
  readonly sequences: number;
  /** The longest promised sequence. */
  readonly context: number;
}

/** What an engine has found out when it asks how much memory is left. */
export interface Profile {
  /** The device's memory. */
  readonly totalBytes: number;
  /** CUDA context and kernels, outside torch's account. */
  readonly contextBytes: number;
  readonly weightsBytes: number;
  /** The most that torch held in a pass over as many tokens as the engine computes at once, weights included. */
  readonly peakBytes: number;
}

/** A server that takes a share of a GPU when it starts, and fills what its model leaves with keys and values. */
export interface Engine {
  readonly title: string;
  /** Source that was followed: file and commit. */
  readonly source: string;
  /** The key for the share. */
  readonly shareKey: string;
  /** The share where nothing is said; null: the engine finds one that is not modelled. */
  readonly share: number | null;
  /** Tokens of one pass where nothing is said, on a device of so much memory. */
  prefillTokens(totalMiB: number): number;
  /** Sequences at a time where nothing is said. */
  readonly sequences: number;
  /** Tokens whose keys and values are taken and given back together. */
  readonly block: number;
  /** Layers that look back at a window take less: they share memory in groups. */
  readonly groupsLayers?: true;
  /** Bytes for keys and values. */
  cacheBytes(profile: Profile, share: number): number;
}

/** An engine with its settings. */
export interface Serving {
  readonly engine: Engine;
  readonly share: number;
  readonly sequences: number;
  /** The longest sequence that is promised. */
  readonly context: number;
}

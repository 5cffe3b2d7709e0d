/** The trained part of a model's parameters; the others are frozen. */
export type TrainedParts = TrainedByName | TrainedLayers | TrainedShare | TrainedInTurns | TrainedTop;

/** Parameters whose full names match one of these patterns from the start, as in Python's `re.match`. */
interface TrainedByName {
  readonly by: 'name';
  readonly patterns: readonly string[];
}

/** Whole layers, or some of their modules, and modules outside layers. */
interface TrainedLayers {
  readonly by: 'layer';
  /** Number of layers, counted from the last; negative: from the first. */
  readonly layers: number;
  /** They are spread out, one in each of as many equal parts (LLaMA Pro). */
  readonly apart: boolean;
  /** Modules directly below a layer: `mlp`, `self_attn`; null: all. */
  readonly modules: readonly string[] | null;
  readonly beside: readonly string[];
}

/** A percentage of the layers for each kind of matrix, in any position; and the word tables (Spectrum). */
interface TrainedShare {
  readonly by: 'share';
  readonly share: number;
}

/** A number of layers at a time that change periodically, and everything outside layers (LISA). */
interface TrainedInTurns {
  readonly by: 'turn';
  readonly layers: number;
  /** Layers that the optimizer has: of the first turn only (`first`); absent: all. */
  readonly optimized?: 'first';
}

/** All parameters except a share of them from the bottom (ms-swift). */
export interface TrainedTop {
  readonly by: 'top';
  readonly frozenShare: number;
}

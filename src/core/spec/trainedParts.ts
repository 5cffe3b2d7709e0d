/** Which of a model's parameters are trained, where the others are frozen. */
export type TrainedParts = TrainedByName | TrainedLayers | TrainedShare | TrainedInTurns | TrainedTop;

/** Parameters whose whole names begin with what one of these patterns describes, as Python's `re.match` takes them. */
export interface TrainedByName {
  readonly by: 'name';
  readonly patterns: readonly string[];
}

/** Whole layers, or some modules of them, and modules outside of layers. */
export interface TrainedLayers {
  readonly by: 'layer';
  /** So many of the last layers; where negative, of the first. */
  readonly layers: number;
  /** They lie apart, one in each of as many equal parts (LLaMA Pro). */
  readonly apart: boolean;
  /** Modules of a layer, one level below it: `mlp`, `self_attn`; null: all. */
  readonly modules: readonly string[] | null;
  readonly beside: readonly string[];
}

/** Of each kind of matrix those of so many layers in a hundred, wherever they lie; and the tables of words (Spectrum). */
export interface TrainedShare {
  readonly by: 'share';
  readonly share: number;
}

/** So many layers at a time, others from time to time, in addition to all that is no layer (LISA). */
export interface TrainedInTurns {
  readonly by: 'turn';
  readonly layers: number;
}

/** All but the parameters from the bottom that make up so much of them (ms-swift). */
export interface TrainedTop {
  readonly by: 'top';
  readonly frozenShare: number;
}

import type { Peak } from './ledger';
import type { Work } from './meter';
import type { ParameterGroup } from './optimizer';
import type { Inventory } from './terms';

/** The phase of a peak. The first step differs: optimizer states do not exist before its end. */
export type Phase =
  | 'load'
  | 'first forward'
  | 'first backward'
  | 'first optimizer step'
  | 'forward'
  /** A token after the prompt: the first or the last. */
  | 'generation'
  /** Trained weights go to the engine next to training. */
  | 'weight sync'
  /** A pipeline turns texts into states, and latents into pictures. */
  | 'encode'
  | 'decode'
  | 'backward'
  | 'optimizer step'
  /** An evaluation batch between two steps. */
  | 'evaluation'
  /** A checkpoint is written, or the full model is assembled for it. */
  | 'save'
  /** Weights and states of a checkpoint are loaded, before the first step. */
  | 'resume'
  /** Adapters are merged into the weights. */
  | 'merge';

/** The work of one pass over a micro-batch on one device. */
export interface PassWork {
  readonly forward: Work;
  /** Recomputation included; null: not played, because nothing is trained or enough was known before. */
  readonly backward: Work | null;
}

/** Peaks by phase: for the first step, and for the steady ones with optimizer states. */
export interface Played {
  readonly load: Peak;
  readonly phases: readonly PlayedPhase[];
  /** Bytes alive at the start of backward. */
  readonly kept: number;
  readonly trainable: readonly ParameterGroup[];
  readonly inventory: Inventory;
  readonly marks: Marks;
  /** Null: nothing was computed. */
  readonly work: PassWork | null;
}

/** Positions in the journal at the end of each part of a step. */
export interface Marks {
  readonly load: number;
  readonly backward: number;
  readonly firstOptimizerStep: number;
  readonly optimizerStep: number;
  /** Gradients are freed. */
  readonly end: number;
  /** The work between two steps is done. */
  readonly after: number;
}

export interface PlayedPhase {
  readonly phase: Phase;
  readonly peak: Peak;
}

import type { ModelFacts } from '../../models/model';
import type { MemoryRun } from '../run';
import { needsMask } from './mask';

const LAYER_KINDS = ['full', 'sliding'] as const;

/** A layer's tokens see all earlier ones, or those within the model's window. */
export type LayerKind = (typeof LAYER_KINDS)[number];

export interface KindsDesign {
  /** The kinds of one period of layers, if not all are full. */
  kinds?(model: ModelFacts): readonly LayerKind[];
}

/** The kinds of one period of layers. */
export function periodOf({ model }: MemoryRun, design: KindsDesign): readonly LayerKind[] {
  return design.kinds?.(model) ?? ['full'];
}

/** The distinct kinds, in the order in which models prepare them. */
export function distinct(kinds: readonly LayerKind[]): readonly LayerKind[] {
  return LAYER_KINDS.filter(kind => kinds.includes(kind));
}

/** The kinds of layers that the model has. */
export function presentKinds(run: MemoryRun, design: KindsDesign): readonly LayerKind[] {
  return distinct(periodOf(run, design).slice(0, run.model.layers));
}

/** Kinds of one period from `layer_types`; else all full without a window, or every `period`-th with one. */
export function layerTypes(model: ModelFacts, period: number): readonly LayerKind[] {
  if (model.slidingWindow === null) return ['full'];
  const listed = Array.isArray(model.extra['layer_types']) ? (model.extra['layer_types'] as unknown[]) : [];
  const first = listed.indexOf('full_attention');
  const length = listed.length === 0 ? period : first < 0 ? 1 : first + 1;
  const endsFull = listed.length === 0 || first >= 0;
  return Array.from({ length }, (_, i) => (endsFull && i + 1 === length ? 'full' : 'sliding'));
}

/**
 * The kinds of one period that need to be walked: one is enough if all take the same memory, unless there is a
 * cache.
 */
export function modeledKinds(run: MemoryRun, design: KindsDesign): readonly LayerKind[] {
  const kinds = periodOf(run, design);
  const [first = 'full'] = kinds;
  const masked = kinds.map(kind => isMasked(run, kind));
  const allEqual = run.task === 'train' && masked.every(one => one === masked[0]);
  return allEqual ? [first] : kinds;
}

/** Tokens that a layer sees before each token; null: all. */
export function windowOf({ model }: MemoryRun, kind: LayerKind): number | null {
  return kind === 'sliding' ? model.slidingWindow : null;
}

function isMasked(run: MemoryRun, kind: LayerKind): boolean {
  if (run.kernels.attention !== 'sdpa') return false;
  const shape = {
    batch: run.batch.rows,
    tokens: run.batch.tokens,
    causal: true,
    window: windowOf(run, kind),
  };
  return needsMask(shape, run.batch.padded);
}

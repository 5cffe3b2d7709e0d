import type { ModelFacts } from '../../models/model';
import type { MemoryRun } from '../run';
import { needsMask } from './mask';

const LAYER_KINDS = ['full', 'sliding'] as const;

/** A layer's tokens see all that is before them, or what is within the model's window. */
export type LayerKind = (typeof LAYER_KINDS)[number];

export interface KindsDesign {
  /** The kinds of one period of layers, where not all are full. */
  kinds?(model: ModelFacts): readonly LayerKind[];
}

/** The kinds of one period of layers. */
export function periodOf({ model }: MemoryRun, design: KindsDesign): readonly LayerKind[] {
  return design.kinds?.(model) ?? ['full'];
}

/** Each kind once, in the order in which models prepare them. */
export function distinct(kinds: readonly LayerKind[]): readonly LayerKind[] {
  return LAYER_KINDS.filter(kind => kinds.includes(kind));
}

/** The kinds that the model has layers of. */
export function presentKinds(run: MemoryRun, design: KindsDesign): readonly LayerKind[] {
  return distinct(periodOf(run, design).slice(0, run.model.layers));
}

/** Kinds of one period as `layer_types` lists them; without, all full where there is no window, else every `period`-th. */
export function layerTypes(model: ModelFacts, period: number): readonly LayerKind[] {
  if (model.slidingWindow === null) return ['full'];
  const listed = Array.isArray(model.extra['layer_types']) ? (model.extra['layer_types'] as unknown[]) : [];
  const first = listed.indexOf('full_attention');
  const length = listed.length === 0 ? period : first < 0 ? 1 : first + 1;
  const endsFull = listed.length === 0 || first >= 0;
  return Array.from({ length }, (_, i) => (endsFull && i + 1 === length ? 'full' : 'sliding'));
}

/** The kinds of one period of layers as they are walked: one is enough where all take the same memory, but for a cache. */
export function modelledKinds(run: MemoryRun, design: KindsDesign): readonly LayerKind[] {
  const kinds = periodOf(run, design);
  const [first = 'full'] = kinds;
  const masked = kinds.map(kind => isMasked(run, kind));
  const alike = run.task === 'train' && masked.every(one => one === masked[0]);
  return alike ? [first] : kinds;
}

/** How many tokens a layer sees before each; null: all. */
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

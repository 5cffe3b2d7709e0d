import { plainAttention } from './attend';
import type { ModelFacts } from '../../models/model';
import { returnsCache } from '../run';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Element, Tensor } from '../tensor';
import type { AttentionContext } from './attention';
import type { EagerSoftmax } from './eagerAttention';
import { distinct, periodOf, presentKinds, windowOf } from './layerKinds';
import type { KindsDesign, LayerKind } from './layerKinds';
import { attentionMask } from './mask';
import type { MaskShape } from './mask';
import { rotaryEmbedding } from './rotary';
import type { Rotation } from './rotary';

/** How a family's layers compute attention. */
export interface ContextDesign extends KindsDesign {
  /** Number of rotated elements per head; 0: none. */
  rotated(model: ModelFacts): number;
  /** Layers of each kind have separate frequencies (Gemma 3). */
  readonly rotationPerKind?: boolean;
  /** SDPA gets a mask even for patterns that it supports itself (Falcon). */
  readonly alwaysMasked?: boolean;
  readonly softmax?: EagerSoftmax;
  /** Eager attention caps scores with tanh (Gemma 2). */
  readonly capsScores?: boolean;
  /** Eager attention clamps scores to the minimum of their dtype (former OPT). */
  readonly floorsScores?: boolean;
  /** Dropout of attention weights in training. */
  attentionDropout?(model: ModelFacts): number;
}

export interface Contexts {
  /** One for each kind of layer that occurs. */
  readonly contexts: readonly AttentionContext[];
  /** Shared by all layers. */
  readonly shared: readonly Tensor[];
}

interface Inputs {
  readonly embedded: Tensor;
  readonly padding: Tensor | null;
  readonly positions: Tensor;
}

/** Masks and rotations, which all layers share; named in the running function. */
export function contextsOf(tape: Tape, run: MemoryRun, design: ContextDesign, inputs: Inputs): Contexts {
  const period = periodOf(run, design);
  const always = design.alwaysMasked ?? false;
  const masks = new Map(
    distinct(period).map(kind => {
      const shape = { causal: true, window: windowOf(run, kind), always };
      return [kind, maskOf(tape, run, inputs, shape)];
    }),
  );
  const kinds = presentKinds(run, design);
  const rotate = (): Rotation | null => rotationOf(tape, run, design, inputs);
  const [first = null, ...others] = design.rotationPerKind ? kinds.map(rotate) : [rotate()];
  const contexts = kinds.map((kind, i) =>
    contextOf(run, design, kind, masks.get(kind) ?? null, others[i - 1] ?? first),
  );
  const shared = new Set([inputs.positions, ...contexts.flatMap(tensorsOf)]);
  return { contexts, shared: [...shared] };
}

function maskOf(
  tape: Tape,
  run: MemoryRun,
  { embedded, padding }: Inputs,
  pattern: Omit<MaskShape, 'batch' | 'tokens'>,
): Tensor | null {
  const { rows: batch, tokens } = run.batch;
  const { attention } = run.kernels;
  if (attention === 'flash') return null;
  const shape = { ...pattern, batch, tokens };
  const keys = keysOf(run, pattern.window);
  if (keys !== tokens) return laterMask(tape, run, keys, attention === 'eager' ? embedded.dtype : 'bool');
  const mask = attentionMask(tape, shape, padding, attention === 'eager' ? embedded.dtype : null);
  return mask && tape.name(mask);
}

/**
 * Number of keys that a token of this pass may see: including earlier ones, or all places of a preallocated cache.
 */
function keysOf(
  { batch: { tokens }, generation: { seen, staticCache, generated } }: MemoryRun,
  window: number | null,
): number {
  const all = staticCache?.sees === 'room' ? Math.max(seen, generated) + tokens : seen + tokens;
  return window === null || seen === 0 ? all : Math.min(all, window);
}

/** A token after the prompt sees everything: it needs a mask only for padding, empty places and eager attention. */
function laterMask(tape: Tape, run: MemoryRun, keys: number, dtype: Element): Tensor | null {
  if (!run.batch.padded && run.generation.staticCache?.sees !== 'room' && dtype === 'bool') return null;
  return tape.name(tape.empty(run.batch.rows * run.batch.tokens * keys, dtype));
}

function rotationOf(
  tape: Tape,
  { model }: MemoryRun,
  design: ContextDesign,
  { positions, embedded }: Inputs,
): Rotation | null {
  const size = design.rotated(model);
  if (size === 0) return null;
  const rotation = rotaryEmbedding(tape, positions, size, embedded.dtype);
  tape.name(rotation.cos);
  tape.name(rotation.sin);
  return rotation;
}

function contextOf(
  run: MemoryRun,
  design: ContextDesign,
  layers: LayerKind,
  mask: Tensor | null,
  rotation: Rotation | null,
): AttentionContext {
  const { model, behavior, task } = run;
  const window = windowOf(run, layers);
  const plain = plainAttention(run, run.batch.tokens, keysOf(run, window));
  return {
    ...plain,
    layers,
    windowed: window !== null,
    window,
    begins: run.generation.seen === 0,
    shape: { ...plain.shape, kvHeads: model.kvHeads },
    rotation,
    mask,
    cache: keepsCache(run),
    repeatsKeyHeads: behavior.repeatsKeyHeads,
    floorsScores: design.floorsScores ?? false,
    softmax: design.softmax ?? 'fp32',
    capsScores: design.capsScores ?? false,
    dropout: task === 'train' ? (design.attentionDropout?.(model) ?? 0) : 0,
  };
}

/** True if keys and values are cached for generation, returned, or start with a trained prefix. */
const keepsCache = (run: MemoryRun): boolean =>
  (run.task === 'infer' ? run.generation.useCache : run.generation.seen > 0) || returnsCache(run);

const tensorsOf = ({ mask, rotation }: AttentionContext): Tensor[] =>
  [mask, rotation?.cos, rotation?.sin].filter(tensor => tensor !== null && tensor !== undefined);

import type { Tape } from '../tape';
import { bytesPer, isHalf } from '../tensor';
import type { Element, Tensor } from '../tensor';
import { lower } from '../transforms/autocast';
import { to } from './cast';
import { copy, resized, slice } from './shape';
import { notesAttention } from '../work';

/** Sizes of one attention call. */
export interface AttentionShape {
  readonly batch: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly queries: number;
  readonly keys: number;
  readonly headDim: number;
  /** The device has FlashAttention: compute capability 8.0 and above. */
  readonly hasFlash: boolean;
}

/**
 * Which tensors are laid out by head in memory, not by token: those from a concatenation after rotation, or all.
 */
export type ByHead = 'none' | 'turned' | 'all';

export interface Heads {
  readonly query: Tensor;
  readonly key: Tensor;
  readonly value: Tensor;
  readonly byHead?: ByHead;
}

const up = (n: number, multiple: number): number => Math.ceil(n / multiple) * multiple;

/** FlashAttention takes 16-bit heads of at most this size, and no mask (aten/native/transformers/cuda/sdp_utils.cpp). */
const FLASH_HEAD_DIM = 256;

/** Bytes of the two scalars of a fused kernel's random state, one block each. */
const RANDOM_STATE = 2;

/** True if a CUDA device would choose FlashAttention. */
export function usesFlash(
  dtype: Element,
  mask: Tensor | null,
  { headDim, hasFlash }: AttentionShape,
): boolean {
  return hasFlash && isHalf(dtype) && mask === null && headDim <= FLASH_HEAD_DIM;
}

/** scaled_dot_product_attention with the kernel that a CUDA device chooses; `mask` is boolean or null. */
export function sdpa(
  tape: Tape,
  { query, key, value }: Heads,
  shape: AttentionShape,
  mask: Tensor | null,
): Tensor {
  return tape.call([query, key, value], () => {
    const heads = { query: lower(tape, query), key: lower(tape, key), value: lower(tape, value) };
    return usesFlash(heads.query.dtype, mask, shape)
      ? paddedFlashAttention(tape, heads, shape)
      : efficientAttention(tape, heads, shape, mask && additive(tape, heads.query.dtype, shape));
  });
}

/** The same with an additive mask, which may require a gradient: never FlashAttention. */
export function sdpaWithBias(
  tape: Tape,
  { query, key, value }: Heads,
  shape: AttentionShape,
  bias: Tensor,
): Tensor {
  return tape.call([query, key, value, bias], () => {
    const heads = { query: lower(tape, query), key: lower(tape, key), value: lower(tape, value) };
    const wide = expanded(tape, aligned(tape, lower(tape, bias), shape), shape);
    return efficientAttention(tape, heads, shape, wide);
  });
}

/** Expands a bias that rows share; its gradient is summed after the kernel's own work. */
function expanded(tape: Tape, bias: Tensor, { batch, heads, queries, keys }: AttentionShape): Tensor {
  const node = tape.record(bias);
  if (node) node.backward = grad => [grad];
  return tape.done(tape.view(bias, batch * heads * queries * up(keys, 16), node), bias);
}

/** Rows padded to a multiple of 16 elements. */
function aligned(tape: Tape, bias: Tensor, { keys }: AttentionShape): Tensor {
  if (keys % 16 === 0) return bias;
  const node = tape.record(bias);
  if (node) node.backward = grad => [tape.view(grad, bias.elements)];
  return tape.done(tape.empty((bias.elements / keys) * up(keys, 16), bias.dtype, node), bias);
}

/** FlashAttention requires heads of a multiple of this size (sdp_utils: pad_last_dim). */
const FLASH_HEAD_MULTIPLE = 8;

/** Pads heads of other sizes; the result is sliced and copied. */
function paddedFlashAttention(tape: Tape, heads: Heads, shape: AttentionShape): Tensor {
  const { headDim } = shape;
  const width = up(headDim, FLASH_HEAD_MULTIPLE);
  if (width === headDim) return flashAttention(tape, heads, shape);
  const pad = (x: Tensor): Tensor => tape.name(resized(tape, x, (x.elements / headDim) * width));
  const wide = { query: pad(heads.query), key: pad(heads.key), value: pad(heads.value) };
  const mixed = flashAttention(tape, wide, { ...shape, headDim: width });
  return copy(tape, slice(tape, mixed, heads.query.elements));
}

/**
 * Keeps q, k, v, the output and the log-sum-exp; in backward an fp32 accumulator of dq, and dk, dv once per query
 * head.
 */
function flashAttention(tape: Tape, { query, key, value }: Heads, shape: AttentionShape): Tensor {
  const { batch, heads, queries, keys, headDim } = shape;
  const node = tape.record(query, key, value);
  const output = tape.output('attention', mixedElements({ query, key, value }), query.dtype, node);
  notesAttention(tape, node, meanWidth({ query, key, value }, shape));
  const extras = kernelExtras(tape, batch * heads * queries);
  if (node) {
    for (const kept of [query, key, value, output, ...extras]) node.save(kept);
    node.backward = () => {
      const inputs = [query, key, value];
      const rows = batch * heads * up(queries, 128);
      const shared = key.elements * queries < query.elements * keys;
      const expanded = !shared ? 0 : 2 * batch * keys * heads * headDim * bytesPer(query.dtype);
      const workspace = tape.workspace(rows * up(headDim, 32) * 4 + rows * 4 + expanded);
      const gradients = inputs.map(input => tape.like(input));
      tape.spend(workspace);
      return gradients.map((gradient, i) => (inputs[i]?.node ? gradient : discarded(tape, gradient)));
    };
  }
  for (const extra of extras) tape.spend(extra);
  return tape.done(output, query, key, value);
}

/** The output is as wide as the values, which may be narrower than queries and keys. */
const mixedElements = ({ query, key, value }: Heads): number =>
  (query.elements * value.elements) / key.elements;

/** Half of the products are with keys, half with values. */
const meanWidth = ({ key, value }: Heads, shape: AttentionShape): AttentionShape => ({
  ...shape,
  headDim: (shape.headDim * (1 + value.elements / key.elements)) / 2,
});

function discarded(tape: Tape, tensor: Tensor): null {
  tape.spend(tensor);
  return null;
}

/** The memory-efficient kernel: masks, fp32, any head size; needs each key and value head once per query head. */
function efficientAttention(
  tape: Tape,
  { query, key, value }: Heads,
  shape: AttentionShape,
  bias: Tensor | null,
): Tensor {
  const { batch, heads, queries, keys, headDim } = shape;
  const node = bias ? tape.record(query, key, value, bias) : tape.record(query, key, value);
  const output = tape.empty(mixedElements({ query, key, value }), query.dtype, node);
  notesAttention(tape, node, meanWidth({ query, key, value }, shape));
  const extras = kernelExtras(tape, node ? batch * heads * up(queries, 32) : 0);
  if (node) {
    for (const kept of [query, key, value, output, ...extras]) node.save(kept);
    if (bias) node.save(bias);
    node.backward = () => {
      const accumulator = isHalf(query.dtype) ? up(queries, 64) * up(headDim, 32) * 4 : 0;
      const workspace = tape.workspace(batch * heads * (up(queries, 32) * 4 + accumulator));
      const gradients = [query, key, value].map(input => input.node && tape.like(input));
      // For every row and head, even if the bias is shared.
      const wanted = bias?.node ? tape.empty(batch * heads * queries * up(keys, 16), query.dtype) : null;
      tape.spend(workspace);
      return [...gradients, wanted];
    };
  }
  for (const extra of extras) tape.spend(extra);
  if (bias) tape.spend(bias);
  return tape.done(output, query, key, value);
}

/** Log-sum-exp and random state. */
function kernelExtras(tape: Tape, rows: number): readonly Tensor[] {
  const state = Array.from({ length: RANDOM_STATE }, () => tape.empty(1, 'int64'));
  return [tape.empty(rows, 'fp32'), ...state];
}

/** A boolean mask, which rows may share, as an additive mask for each; aligns its rows to 16 elements. */
function additive(tape: Tape, dtype: Element, { batch, queries, keys }: AttentionShape): Tensor {
  const rows = batch * queries;
  const bias = tape.empty(rows * keys, dtype);
  tape.spend(tape.empty(rows * keys, 'bool'));
  return keys % 16 === 0 ? bias : tape.done(tape.empty(rows * up(keys, 16), dtype), bias);
}

/** A factor of a batched product. Batch and heads must be adjacent: copies `permuted` factors. */
interface Factor {
  readonly tensor: Tensor;
  readonly permuted: boolean;
}

/** A product per batch and head; keeps both factors. */
export function batchedMatmul(tape: Tape, a: Factor, b: Factor, elements: number): Tensor {
  return tape.call([a.tensor, b.tensor], () => {
    const second = tape.name(lower(tape, b.tensor));
    const first = tape.name(lower(tape, a.tensor));
    return product(tape, permuteFactor(tape, first, a), permuteFactor(tape, second, b), elements);
  });
}

function permuteFactor(tape: Tape, x: Tensor, { permuted }: Factor): Tensor {
  return permuted ? copy(tape, x) : x;
}

function product(tape: Tape, a: Tensor, b: Tensor, elements: number): Tensor {
  const node = tape.record(a, b);
  if (node) {
    if (b.node) node.save(a);
    if (a.node) node.save(b);
    node.backward = () => {
      const ofSecond = b.node && tape.like(b);
      return [a.node && tape.like(a), ofSecond];
    };
  }
  return tape.done(tape.empty(elements, a.dtype, node), a, b);
}

/** softmax(x, dtype=fp32): fp16 is widened inside the kernel, bf16 before it (aten SoftMax.cpp, half_to_float). */
export function softmaxInFp32(tape: Tape, x: Tensor): Tensor {
  return softmaxTo(tape, x.dtype === 'bf16' ? widened(tape, x) : x, 'fp32');
}

function widened(tape: Tape, x: Tensor): Tensor {
  const node = tape.record(x);
  if (node) node.backward = grad => [grad];
  return tape.done(tape.empty(x.elements, 'fp32', node), x);
}

/** softmax(x, dtype), with the dtype from the model: converts before the kernel, except for fp16 to fp32. */
export function softmaxIn(tape: Tape, x: Tensor, dtype: Element): Tensor {
  return dtype === 'fp32' ? softmaxInFp32(tape, x) : softmaxTo(tape, to(tape, x, dtype), dtype);
}

/** softmax(x): autocast runs it in fp32. */
export function softmax(tape: Tape, x: Tensor): Tensor {
  if (tape.autocast !== null) return softmaxInFp32(tape, x);
  return softmaxTo(tape, x, x.dtype);
}

function softmaxTo(tape: Tape, x: Tensor, dtype: Element): Tensor {
  const node = tape.record(x);
  const result = tape.empty(x.elements, dtype, node);
  if (node) {
    node.save(result);
    if (tape.softmaxKeepsInput) node.save(x);
    node.backward = () => [tape.like(x)];
  }
  return tape.done(result, x);
}

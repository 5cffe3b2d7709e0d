import type { MlaFacts } from '../../models/model';
import type { Builder, Linear, Step } from '../modules';
import { sdpa } from '../ops/attention';
import { cat, copy, resized, slice, split, viewWhoseGradientIsCopied } from '../ops/shape';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';
import { cached } from './attention';
import type { AttentionContext } from './attention';
import { eagerAttention } from './eagerAttention';
import { buildRmsNorm } from './norm';
import { turned } from './rotary';

/** Attention over x: its output, and the weights if they exist. */
export type Attention = (tape: Tape, x: Tensor, context: AttentionContext) => readonly Tensor[];

/** The layers from x to queries and latent keys and values, and from these to heads. */
interface LatentParts {
  readonly toQuery: Step;
  readonly toLatent: Linear;
  readonly latentNorm: Step;
  readonly expand: Linear;
  readonly output: Linear;
  readonly mla: MlaFacts;
  readonly heads: number;
}

/**
 * Multi-head latent attention (transformers 5.23, DeepseekV3Attention): keys and values come from one narrow
 * latent, and all heads share the part of the key with the position.
 */
export function buildLatentAttention(builder: Builder, run: MemoryRun, mla: MlaFacts): Attention {
  const { hiddenSize, heads } = run.model;
  const linear = (name: string, inputs: number, outputs: number): Linear =>
    builder.linear({ name, inputs, outputs, bias: false });
  const toQuery = queries(builder, run, mla, linear);
  const toLatent = linear('kv_a_proj_with_mqa', hiddenSize, mla.kvLoraRank + mla.qkRopeHeadDim);
  const latentNorm = buildRmsNorm(builder, run, mla.kvLoraRank);
  const expand = linear('kv_b_proj', mla.kvLoraRank, heads * (mla.qkNopeHeadDim + mla.vHeadDim));
  const output = linear('o_proj', heads * mla.vHeadDim, hiddenSize);
  const parts = { toQuery, toLatent, latentNorm, expand, output, mla, heads };
  return (tape, x, context) => tape.call([x], () => attended(tape, x, parts, context));
}

function queries(
  builder: Builder,
  run: MemoryRun,
  { qLoraRank: rank, qkNopeHeadDim, qkRopeHeadDim }: MlaFacts,
  linear: (name: string, inputs: number, outputs: number) => Linear,
): Step {
  const { hiddenSize, heads } = run.model;
  const width = heads * (qkNopeHeadDim + qkRopeHeadDim);
  if (rank === 0) return linear('q_proj', hiddenSize, width);
  const down = linear('q_a_proj', hiddenSize, rank);
  const norm = buildRmsNorm(builder, run, rank);
  const up = linear('q_b_proj', rank, width);
  return (tape, x) => up(tape, norm(tape, down(tape, x)));
}

function attended(tape: Tape, x: Tensor, parts: LatentParts, context: AttentionContext): readonly Tensor[] {
  const { toQuery, toLatent, latentNorm, output, mla, heads } = parts;
  const tokens = context.shape.batch * context.shape.queries;
  const turning = tokens * mla.qkRopeHeadDim;
  const all = tape.name(toQuery(tape, x));
  const [passing = x, ofQuery = x] = split(tape, tape.view(all, all.elements, all.node), [
    tokens * heads * mla.qkNopeHeadDim,
    turning * heads,
  ]);
  for (const part of [passing, ofQuery]) tape.name(part);
  const compressed = tape.name(toLatent(tape, x));
  const sizes = [tokens * mla.kvLoraRank, turning];
  const [latent = x, ofKey = x] = split(
    tape,
    tape.view(compressed, compressed.elements, compressed.node),
    sizes,
  );
  for (const part of [latent, ofKey]) tape.name(part);
  let states = tape.rename(latent, latentNorm(tape, latent));
  let [query, key] = [ofQuery, ofKey];
  if (context.rotation) {
    const [q, k] = turned(tape, query, key, context.rotation);
    query = tape.rename(query, q);
    key = tape.rename(key, k);
  }
  if (context.cache) {
    const both = [
      cached(tape, states, states.dtype, context),
      cached(tape, key, key.dtype, context),
    ] as const;
    states = tape.rename(states, both[0]);
    key = tape.rename(key, both[1]);
  }
  const whole = tape.name(cat(tape, passing, query));
  const expandedParts = expanded(tape, states, key, parts);
  for (const part of expandedParts) tape.name(part);
  const [mixed = x, ...weights] = mix(tape, [whole, ...expandedParts], mla, context);
  for (const kept of weights) tape.name(kept);
  return [output(tape, tape.name(mixed)), ...weights];
}

/** expand_kv: a new tensor of keys, and values as a view of their common source. */
function expanded(
  tape: Tape,
  latent: Tensor,
  position: Tensor,
  { expand, mla, heads }: LatentParts,
): readonly [Tensor, Tensor] {
  return tape.call([latent, position], () => {
    const tokens = latent.elements / mla.kvLoraRank;
    const both = tape.name(viewWhoseGradientIsCopied(tape, expand(tape, latent)));
    const sizes = [tokens * heads * mla.qkNopeHeadDim, tokens * heads * mla.vHeadDim];
    const [key = latent, value = latent] = split(tape, tape.view(both, both.elements, both.node), sizes);
    for (const part of [key, value]) tape.name(part);
    const size = tokens * heads * (mla.qkNopeHeadDim + mla.qkRopeHeadDim);
    const node = tape.record(key, position);
    if (node) {
      node.backward = grad => [
        key.node && tape.empty(key.elements, grad.dtype),
        position.node && tape.empty(position.elements, grad.dtype),
      ];
    }
    return [tape.done(tape.empty(size, key.dtype, node), key, position), value] as const;
  });
}

/** Value heads are narrower than key heads: FlashAttention gets them padded; torch's own kernel accepts them. */
function mix(
  tape: Tape,
  [query, key, value]: readonly [Tensor, Tensor, Tensor],
  { vHeadDim }: MlaFacts,
  context: AttentionContext,
): readonly Tensor[] {
  const { shape, kind, mask } = context;
  const own = { ...shape, kvHeads: shape.heads, hasFlash: kind === 'flash' };
  const wide = vHeadDim === shape.headDim ? value : resized(tape, value, key.elements);
  const heads = { query, key, value: wide, byHead: 'turned' as const };
  const mixed =
    kind === 'eager'
      ? eagerAttention(tape, heads, { ...context, shape: own })
      : [sdpa(tape, heads, own, kind === 'flash' ? null : mask)];
  const [result = query, ...weights] = mixed;
  if (vHeadDim === shape.headDim) return [copy(tape, result), ...weights];
  const narrow = (query.elements / shape.headDim) * vHeadDim;
  return [copy(tape, slice(tape, result, narrow)), ...weights];
}

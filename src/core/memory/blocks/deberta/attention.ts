import type { ModelFacts } from '../../../models/model';
import { flag } from '../../configValues';
import type { Builder, Linear } from '../../modules';
import { batchedMatmul, softmax } from '../../ops/attention';
import { add, addInPlace, dropout, scale } from '../../ops/pointwise';
import { gatherFrom, maskedFill, repeatRows } from '../../ops/select';
import { copy, viewWhoseGradientIsCopied } from '../../ops/shape';
import type { Tape } from '../../tape';
import type { Tensor } from '../../tensor';
import { bothWays } from './positions';

/** Shared by all layers of one pass. */
export interface DebertaContext {
  readonly batch: number;
  readonly tokens: number;
  readonly heads: number;
  /** Visible tokens, `[batch, 1, tokens, tokens]`. */
  readonly mask: Tensor;
  readonly distances: Tensor;
  /** Rows of the distance table. */
  readonly places: Tensor;
  readonly dropout: number;
  readonly hiddenDropout: number;
}

/** DisentangledSelfAttention. */
type DebertaAttention = (tape: Tape, x: Tensor, context: DebertaContext) => Tensor;

/** A product of contiguous factors. */
function product(tape: Tape, a: Tensor, b: Tensor, elements: number): Tensor {
  return batchedMatmul(tape, { tensor: a, permuted: false }, { tensor: b, permuted: false }, elements);
}

/** Queries and keys of tokens and of distances; the latter from the same layers, or from separate ones. */
export function buildDebertaAttention(builder: Builder, model: ModelFacts): DebertaAttention {
  const { hiddenSize, headDim } = model;
  const square = (name: string): Linear =>
    builder.linear({ name, inputs: hiddenSize, outputs: hiddenSize, bias: true });
  const [query, key, value] = [square('query_proj'), square('key_proj'), square('value_proj')];
  const shared = flag(model, 'share_att_key');
  const ways = bothWays(model);
  const ofKey = !ways.toPositions ? null : shared ? key : square('pos_key_proj');
  const ofQuery = !ways.toContents ? null : shared ? query : square('pos_query_proj');
  const positions = { shared, ofKey, ofQuery, headDim };
  return (tape, x, context) =>
    tape.call([x], () => {
      const inHeads = (project: Linear): Tensor => tape.name(splitByHead(tape, project(tape, x)));
      const heads = { query: inHeads(query), key: inHeads(key), value: inHeads(value) };
      const sizes = sizesOf(context);
      const scaled = scale(tape, heads.key);
      let scores = tape.name(product(tape, heads.query, scaled, sizes.scores));
      const places = tape.name(dropout(tape, context.places, context.hiddenDropout));
      const bias = tape.name(positionBias(tape, { ...heads, places }, positions, context));
      scores = tape.rename(scores, add(tape, scores, bias));
      const allowed = tape.name(tape.empty(context.mask.elements, 'bool'));
      scores = tape.rename(scores, maskedFill(tape, scores, tape.empty(allowed.elements, 'bool')));
      let weights = tape.name(softmax(tape, scores));
      weights = tape.rename(weights, dropout(tape, weights, context.dropout));
      const mixed = tape.name(product(tape, weights, heads.value, x.elements));
      return copy(tape, context.batch > 1 ? viewWhoseGradientIsCopied(tape, mixed) : mixed);
    });
}

function sizesOf({ batch, heads, tokens }: DebertaContext): { readonly scores: number } {
  return { scores: batch * heads * tokens * tokens };
}

/** transpose_for_scores */
function splitByHead(tape: Tape, x: Tensor): Tensor {
  return tape.call([x], () => copy(tape, viewWhoseGradientIsCopied(tape, x)));
}

interface PositionLayers {
  readonly shared: boolean;
  readonly ofKey: Linear | null;
  readonly ofQuery: Linear | null;
  readonly headDim: number;
}

interface Inputs {
  readonly query: Tensor;
  readonly key: Tensor;
  readonly places: Tensor;
}

/** disentangled_attention_bias: scores of tokens by distances, and of distances by tokens. */
function positionBias(
  tape: Tape,
  { query, key, places }: Inputs,
  layers: PositionLayers,
  context: DebertaContext,
): Tensor {
  const { scores } = sizesOf(context);
  return tape.call([query, key, places], () => {
    const rows = (project: Linear): Tensor =>
      tape.name(repeatRows(tape, splitByHead(tape, project(tape, places)), context.batch));
    const { shared, ofKey, ofQuery } = layers;
    const first = shared && ofQuery ? rows(ofQuery) : null;
    const keys = ofKey && rows(ofKey);
    const queries = first ?? (ofQuery && rows(ofQuery));
    const wide = (x: Tensor): number => (x.elements / layers.headDim) * context.tokens;
    let score: Tensor | null = null;
    for (const [side, of] of [
      [keys, query],
      [queries, key],
    ] as const) {
      if (side === null) continue;
      const negated = side === queries;
      const early = negated ? tape.name(indices(tape, context, true)) : null;
      const all = tape.name(product(tape, of, side, wide(side)));
      const index = early ?? tape.name(indices(tape, context, false));
      const found = tape.rename(all, gatherFrom(tape, all, index, scores));
      const scaled = scale(tape, found);
      if (score) score = tape.rename(score, addInPlace(tape, score, scaled));
      else score = tape.name(tape.done(sumWithZero(tape, scaled), scaled));
    }
    return score ?? tape.empty(1, query.dtype);
  });
}

/** `0 + x` */
function sumWithZero(tape: Tape, x: Tensor): Tensor {
  const node = tape.record(x);
  if (node) node.backward = grad => [grad];
  return tape.like(x, node);
}

/** Distances as row indices of the table, clamped. */
function indices(tape: Tape, { distances }: DebertaContext, negated: boolean): Tensor {
  const moved = negated ? tape.done(tape.like(distances), tape.like(distances)) : tape.like(distances);
  return tape.done(tape.like(distances), moved);
}

import type { Batch } from '../architecture';
import type { Builder, Repeated } from '../modules';
import { embedding } from '../ops/embedding';
import { scale } from '../ops/pointwise';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';
import { checkpoint } from '../transforms/checkpoint';
import type { AttentionContext } from './attention';
import { buildDecoderLayer, decoderLayer } from './decoderLayer';
import type { DecoderLayer } from './decoderLayer';
import { attentionMask } from './mask';
import { rmsNorm } from './norm';
import { rotaryEmbedding } from './rotary';

/** What members of the family do beyond Llama. */
export interface DecoderOptions {
  /** Embeddings and what layers add are multiplied by numbers (Granite). */
  readonly scaled: boolean;
}

/** The parameters of a LlamaModel. */
export interface Decoder {
  readonly table: Parameter;
  readonly layers: readonly Repeated<DecoderLayer>[];
  readonly norm: Parameter;
}

export function buildDecoder(builder: Builder, { model }: MemoryRun): Decoder {
  const table = builder.embedding('embed_tokens', model.vocabSize, model.hiddenSize);
  const layers = builder.repeat(model.layers, () => buildDecoderLayer(builder, model));
  const norm = builder.vector(model.hiddenSize);
  // inv_freq and original_inv_freq
  builder.buffer((model.headDim / 2) * 4);
  builder.buffer((model.headDim / 2) * 4);
  return { table, layers, norm };
}

/** LlamaModel.forward. */
export function decoder(
  tape: Tape,
  { inputIds, attentionMask: padding }: Batch,
  parts: Decoder,
  run: MemoryRun,
  options: DecoderOptions,
): Tensor {
  return tape.call([inputIds], () => {
    const looked = embedding(tape, parts.table, inputIds);
    let embedded = tape.name(
      run.inputGradients && looked.node === null ? trainableInput(tape, looked) : looked,
    );
    if (options.scaled) embedded = tape.rename(embedded, scale(tape, embedded));
    const range = tape.empty(run.tokens, 'int64');
    const positions = tape.name(tape.done(tape.empty(run.tokens, 'int64'), range));
    const context = contextOf(tape, run, { positions, padding, embedded }, options);
    const { cos, sin } = context.rotation;
    const captured = [positions, cos, sin, ...(context.mask ? [context.mask] : [])];
    let hidden = tape.name(embedded);
    for (const { part, times } of parts.layers) {
      hidden = tape.repeat(times, hidden, x => layer(tape, x, part, context, captured, run));
    }
    return rmsNorm(tape, hidden, parts.norm, context.kernels.rmsNorm);
  });
}

function layer(
  tape: Tape,
  x: Tensor,
  part: DecoderLayer,
  context: AttentionContext,
  captured: readonly Tensor[],
  { checkpointing }: MemoryRun,
): Tensor {
  if (checkpointing === 'none') return decoderLayer(tape, x, part, context);
  return checkpoint(tape, x, {
    kind: checkpointing,
    captured,
    body: input => decoderLayer(tape, input, part, context),
  });
}

interface Inputs {
  readonly positions: Tensor;
  readonly padding: Tensor | null;
  readonly embedded: Tensor;
}

/** Mask and rotation, which all layers share. */
function contextOf(
  tape: Tape,
  run: MemoryRun,
  { positions, padding, embedded }: Inputs,
  { scaled }: DecoderOptions,
): AttentionContext {
  const { model, batch, tokens, attention, behaviour } = run;
  const { heads, kvHeads, headDim } = model;
  const eager = attention === 'eager' ? embedded.dtype : null;
  const mask =
    attention === 'flash' ? null : attentionMask(tape, { batch, tokens, causal: true }, padding, eager);
  if (mask) tape.name(mask);
  const rotation = rotaryEmbedding(tape, positions, headDim, embedded.dtype);
  tape.name(rotation.cos);
  tape.name(rotation.sin);
  return {
    shape: { batch, heads, kvHeads, headDim, queries: tokens, keys: tokens },
    kind: attention,
    rotation,
    mask,
    cache: run.task === 'infer' && run.useCache,
    kernels: behaviour.kernels,
    repeatsKeyHeads: behaviour.repeatsKeyHeads,
    copiesInputs: behaviour.copiesAttentionInputs,
    scaledResiduals: scaled,
    softmax: 'fp32',
    dropout: 0,
  };
}

/** `enable_input_require_grads`: the embedding's output becomes a leaf, so that gradients reach the first layer. */
export function trainableInput(tape: Tape, embedded: Tensor): Tensor {
  const leaf = tape.done(tape.leaf(embedded), embedded);
  tape.graph?.holdLeaf(leaf);
  return leaf;
}

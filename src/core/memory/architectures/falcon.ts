import type { ModelFacts } from '../../models/model';
import type { Architecture } from '../architecture';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import type { AttentionContext } from '../blocks/attention';
import { buildFalconAttention } from '../blocks/falconAttention';
import type { Layer } from '../blocks/layers';
import { activationNamed } from '../blocks/activation';
import { buildLayerNorm } from '../blocks/norm';
import { stated } from '../configValues';
import type { Builder, Step } from '../modules';
import { add, addInPlace, dropout } from '../ops/pointwise';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

function buildMlp(builder: Builder, model: ModelFacts): Step {
  const { hiddenSize: hidden, intermediateSize: inner, mlpBias: bias } = model;
  const up = builder.linear({ name: 'dense_h_to_4h', inputs: hidden, outputs: inner, bias, derived: true });
  const down = builder.linear({ name: 'dense_4h_to_h', inputs: inner, outputs: hidden, bias, derived: true });
  const act = activationNamed(model.activation);
  return (tape, x) =>
    tape.call([x], () => {
      const wide = tape.name(act(tape, up(tape, x)));
      return down(tape, wide);
    });
}

/** dropout_add */
function droppedSum(tape: Tape, change: Tensor, residual: Tensor, rate: number): Tensor {
  return tape.call([change, residual], () => {
    const dropped = tape.name(dropout(tape, change, rate));
    return add(tape, residual, dropped);
  });
}

/**
 * The attention weights of the previous layer: FalconModel's loop holds a layer's outputs until the next one
 * returns. In a graph they are alive anyway.
 */
function holdPrevious(tape: Tape, x: Tensor, { kind, shape }: AttentionContext): void {
  const isKept = tape.graph !== null && !tape.saver.unpacks;
  if (kind !== 'eager' || isKept) return;
  // Normalized in the dtype of a norm's result.
  const dtype = tape.autocast === null ? x.dtype : 'fp32';
  tape.name(tape.empty(shape.batch * shape.heads * shape.queries * shape.keys, dtype));
}

/** FalconDecoderLayer: attention and MLP in parallel, over one norm or one each, or in sequence. */
function layer(builder: Builder, { model, task }: MemoryRun, isFirst: boolean): Layer {
  const rate = (name: string): number => (task === 'train' ? stated(model, name, 0) : 0);
  const rates = { attention: rate('attention_dropout'), hidden: rate('hidden_dropout') };
  const attention = buildFalconAttention(builder, model);
  const mlp = buildMlp(builder, model);
  const isParallel = model.extra['parallel_residual'] === true;
  const second = model.normsPerLayer === 2 ? buildLayerNorm(builder, model.hiddenSize) : null;
  const first = buildLayerNorm(builder, model.hiddenSize);
  return (tape, x, context) =>
    tape.call([x], () => {
      if (!isFirst) holdPrevious(tape, x, context);
      let residual = tape.name(x);
      const normed = tape.name(first(tape, x));
      const other = isParallel && second ? tape.name(second(tape, x)) : null;
      const [mixed = normed, ...weights] = attention(tape, normed, context);
      const attended = tape.name(mixed);
      for (const kept of weights) tape.name(kept);
      if (!isParallel) {
        residual = tape.rename(residual, droppedSum(tape, attended, residual, rates.attention));
      }
      const input = isParallel || !second ? (other ?? normed) : tape.name(second(tape, residual));
      let change = tape.name(mlp(tape, input));
      if (isParallel) change = tape.rename(change, addInPlace(tape, change, attended));
      return droppedSum(tape, change, residual, rates.hidden);
    });
}

/** LayerNorm, one or few key and value heads, and a mask even without padding. */
export const falcon: Architecture = decoderArchitecture({
  modelTypes: ['falcon'],
  source: 'transformers 5.23.0, models/falcon/modeling_falcon.py',
  missing: ({ positions }) => (positions === 'alibi' ? ['the memory of falcon with ALiBi'] : []),
  design: {
    layer,
    norm: (builder, { model }) => buildLayerNorm(builder, model.hiddenSize),
    rotated: ({ headDim }) => headDim,
    alwaysMasked: true,
  },
});

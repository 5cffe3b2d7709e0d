import type { Architecture, Batch, Model } from '../architecture';
import { causalLoss } from '../blocks/causalLoss';
import { decoderLayer } from '../blocks/decoderLayer';
import type { DecoderLayer } from '../blocks/decoderLayer';
import { causalMask } from '../blocks/mask';
import { rmsNorm } from '../blocks/norm';
import { rotaryEmbedding } from '../blocks/rotary';
import type { Builder, Linear, LinearShape, Repeated } from '../modules';
import { embedding } from '../ops/embedding';
import { linear } from '../ops/linear';
import { slice } from '../ops/shape';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';
import { LOGITS } from '../terms';
import { checkpoint } from '../transforms/checkpoint';
import type { ModelFacts } from '../../models/model';

function buildLayer(builder: Builder, model: ModelFacts): DecoderLayer {
  const { hiddenSize, intermediateSize, heads, kvHeads, headDim } = model;
  const make = (name: string, inputs: number, outputs: number, bias: boolean): Linear =>
    builder.linear({ name, inputs, outputs, bias } satisfies LinearShape);
  return {
    attention: {
      query: make('q_proj', hiddenSize, heads * headDim, model.qkvBias),
      key: make('k_proj', hiddenSize, kvHeads * headDim, model.qkvBias),
      value: make('v_proj', hiddenSize, kvHeads * headDim, model.qkvBias),
      output: make('o_proj', heads * headDim, hiddenSize, model.attentionOutBias),
    },
    mlp: {
      gate: make('gate_proj', hiddenSize, intermediateSize, model.mlpBias),
      up: make('up_proj', hiddenSize, intermediateSize, model.mlpBias),
      down: make('down_proj', intermediateSize, hiddenSize, model.mlpBias),
    },
    attentionNorm: builder.vector(hiddenSize),
    mlpNorm: builder.vector(hiddenSize),
  };
}

function build(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const table = builder.embedding(model.vocabSize, model.hiddenSize);
  const layers = builder.repeat(model.layers, () => buildLayer(builder, model));
  const norm = builder.vector(model.hiddenSize);
  // inv_freq and original_inv_freq
  builder.buffer((model.headDim / 2) * 4);
  builder.buffer((model.headDim / 2) * 4);
  const head =
    run.head === 'base'
      ? null
      : model.tiedEmbeddings
        ? table
        : builder.embedding(model.vocabSize, model.hiddenSize);
  const body = (tape: Tape, batch: Batch): Tensor => decoder(tape, batch, { run, table, layers, norm });
  if (head === null) return body;
  return (tape, batch) => tape.call([], () => withHead(tape, run, tape.name(body(tape, batch)), head, batch));
}

interface Parts {
  readonly run: MemoryRun;
  readonly table: Parameter;
  readonly layers: readonly Repeated<DecoderLayer>[];
  readonly norm: Parameter;
}

/** LlamaModel.forward. */
function decoder(
  tape: Tape,
  { inputIds, attentionMask }: Batch,
  { run, table, layers, norm }: Parts,
): Tensor {
  const { model, batch, tokens } = run;
  return tape.call([inputIds], () => {
    const looked = embedding(tape, table, inputIds);
    const embedded = tape.name(
      run.inputGradients && looked.node === null ? trainableInput(tape, looked) : looked,
    );
    const range = tape.empty(tokens, 'int64');
    const positions = tape.name(tape.done(tape.empty(tokens, 'int64'), range));
    const mask = causalMask(
      tape,
      { batch, tokens },
      attentionMask,
      run.attention === 'eager' ? embedded.dtype : null,
    );
    if (mask) tape.name(mask);
    const rotation = rotaryEmbedding(tape, positions, model.headDim, embedded.dtype);
    tape.name(rotation.cos);
    tape.name(rotation.sin);
    const { heads, kvHeads, headDim } = model;
    const context = {
      shape: { batch, heads, kvHeads, headDim, queries: tokens, keys: tokens },
      kind: run.attention,
      rotation,
      mask,
      cache: run.task === 'infer' && run.useCache,
    };
    const captured = [positions, rotation.cos, rotation.sin, ...(mask ? [mask] : [])];
    let hidden = tape.name(embedded);
    for (const { part, times } of layers) {
      hidden = tape.repeat(times, hidden, x =>
        run.checkpointing === 'none'
          ? decoderLayer(tape, x, part, context)
          : checkpoint(tape, x, {
              kind: run.checkpointing,
              captured,
              body: input => decoderLayer(tape, input, part, context),
            }),
      );
    }
    return rmsNorm(tape, hidden, norm);
  });
}

/** `enable_input_require_grads`: the embedding's output becomes a leaf, so that gradients reach the first layer. */
function trainableInput(tape: Tape, embedded: Tensor): Tensor {
  const leaf = tape.done(tape.leaf(embedded), embedded);
  tape.graph?.holdLeaf(leaf);
  return leaf;
}

/** LlamaForCausalLM.forward after the model: logits, loss. */
function withHead(tape: Tape, run: MemoryRun, hidden: Tensor, head: Parameter, { labels }: Batch): Tensor {
  const rows =
    run.logitsToKeep === null ? hidden.elements : run.batch * run.logitsToKeep * run.model.hiddenSize;
  return tape.during(LOGITS, () => {
    const last = rows === hidden.elements ? hidden : slice(tape, hidden, rows);
    const logits = tape.name(linear(tape, last, head, null));
    return labels ? causalLoss(tape, run.behaviour.loss, logits, labels, run.batch) : logits;
  });
}

export const llama: Architecture = {
  modelTypes: ['llama', 'mistral', 'qwen2'],
  source: 'transformers 5.23.0, models/llama/modeling_llama.py',
  missing: () => [],
  build,
};

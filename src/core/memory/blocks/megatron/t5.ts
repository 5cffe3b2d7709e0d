import type { Batch, Model } from '../../architecture';
import { stated } from '../../configValues';
import type { Builder, Step } from '../../modules';
import { biasDropoutAdd, columnLinear } from '../../ops/megatron';
import { split } from '../../ops/shape';
import type { MemoryRun } from '../../run';
import type { Tape } from '../../tape';
import type { Tensor } from '../../tensor';
import { coreAttention, coreAttentionOf, ratesOf } from './attention';
import { languageHead } from './head';
import { mlp, norm, residualLayer, rowLinear, selfAttention, weights } from './layer';
import { recomputed, embedded } from './model';

/** A part of a layer that also uses the encoder's output. */
type CrossStep = (tape: Tape, x: Tensor, encoded: Tensor) => Tensor;

/** T5Model (core/models/T5/t5_model.py): two stacks over one word table, with learned positions. */
export function buildMegatronT5(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const { vocabSize, hiddenSize, positionRows, layers } = model;
  const table = builder.embedding('word_embeddings', vocabSize, hiddenSize);
  const places = [builder.embedding('position_embeddings', positionRows, hiddenSize)];
  const encoder = builder.repeat(layers, () =>
    residualLayer(run, [selfAttention(builder, run), mlp(builder, run)]),
  );
  const encoderNorm = norm(builder, run);
  const target = { ...run, batch: { ...run.batch, tokens: run.batch.targets } };
  const decoder = builder.repeat(stated(model, 'decoder_layers', layers), () =>
    decoderLayer(builder, run, target),
  );
  const head = languageHead(builder, run, table);
  return (tape, { inputIds, labels, decoderIds }: Batch) =>
    tape.call([], () => {
      let states = tape.name(embedded(tape, inputIds, table, places, run));
      for (const { part, times } of encoder) {
        states = tape.repeat(times, states, [x => recomputed(tape, x, part, run)]);
      }
      const encoded = tape.name(encoderNorm(tape, states));
      let hidden = tape.name(embedded(tape, labels ?? decoderIds ?? inputIds, table, places, target));
      for (const { part, times } of decoder) {
        const step: Step = (on, x) => part(on, x, encoded);
        hidden = tape.repeat(times, hidden, [x => recomputed(tape, x, step, run)], [encoded]);
      }
      return head(tape, hidden, labels);
    });
}

/** Self-attention, attention to the encoder, and the MLP. */
function decoderLayer(builder: Builder, run: MemoryRun, target: MemoryRun): CrossStep {
  const self = selfAttention(builder, target);
  const cross = crossAttention(builder, run);
  const last = mlp(builder, target);
  const { hidden: rate } = ratesOf(run);
  return (tape, x, encoded) =>
    tape.call([x], () => {
      const first = tape.name(biasDropoutAdd(tape, self(tape, x), x, rate));
      const second = tape.name(biasDropoutAdd(tape, cross(tape, first, encoded), first, rate));
      return biasDropoutAdd(tape, last(tape, second), second, rate);
    });
}

/** CrossAttention: queries of the target, keys and values of the source. */
function crossAttention(builder: Builder, run: MemoryRun): CrossStep {
  const { heads, headDim, hiddenSize, qkvBias, attentionOutBias } = run.model;
  const width = heads * headDim;
  const input = norm(builder, run);
  const queries = weights(builder, [width, hiddenSize], qkvBias);
  const both = weights(builder, [2 * width, hiddenSize], qkvBias);
  const output = weights(builder, [hiddenSize, width], attentionOutBias);
  const core = coreAttentionOf(run, ratesOf(run).attention, run.batch.tokens, run.batch.targets);
  return (tape, x, encoded) =>
    tape.call([x, encoded], () => {
      const query = tape.name(columnLinear(tape, input(tape, x), queries, run));
      const mixed = tape.name(columnLinear(tape, encoded, both, run));
      const [key = mixed, value = mixed] = split(tape, mixed, [mixed.elements / 2, mixed.elements / 2]);
      for (const half of [key, value]) tape.name(half);
      const context = tape.name(coreAttention(tape, { query, key, value }, core));
      return rowLinear(tape, context, output, run);
    });
}

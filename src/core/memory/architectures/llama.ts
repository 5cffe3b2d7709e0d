import type { Architecture, Model } from '../architecture';
import { buildDecoder, decoder } from '../blocks/decoder';
import type { DecoderOptions } from '../blocks/decoder';
import { languageModelHead } from '../blocks/loss/languageModelHead';
import type { Builder } from '../modules';
import type { MemoryRun } from '../run';

/** A decoder of Llama's kind, with the head that the run asks for. */
function build(builder: Builder, run: MemoryRun, options: DecoderOptions): Model {
  const { model } = run;
  const parts = buildDecoder(builder, run);
  if (run.head === 'base') return (tape, batch) => decoder(tape, batch, parts, run, options);
  const head = model.tiedEmbeddings
    ? parts.table
    : builder.embedding('lm_head', model.vocabSize, model.hiddenSize);
  return (tape, batch) =>
    tape.call([], () => {
      const hidden = tape.name(decoder(tape, batch, parts, run, options));
      return languageModelHead(tape, run, hidden, head, batch, options);
    });
}

/** RMSNorm, rotary positions, grouped key heads, gated MLP, one residual stream. */
export const llama: Architecture = {
  modelTypes: ['llama', 'mistral', 'qwen2'],
  source: 'transformers 5.23.0, models/llama/modeling_llama.py',
  missing: () => [],
  build: (builder, run) => build(builder, run, { scaled: false }),
};

/** Llama with embeddings, residuals and logits multiplied by numbers. */
export const granite: Architecture = {
  modelTypes: ['granite'],
  source: 'transformers 5.23.0, models/granite/modeling_granite.py',
  missing: () => [],
  build: (builder, run) => build(builder, run, { scaled: true }),
};

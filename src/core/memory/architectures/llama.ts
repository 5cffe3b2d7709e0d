import type { Architecture, Model } from '../architecture';
import { buildDecoder, decoder } from '../blocks/decoder';
import type { DecoderOptions } from '../blocks/decoder';
import { decoderHead } from '../blocks/decoderHead';
import type { Builder } from '../modules';
import type { MemoryRun } from '../run';

const heads: Architecture['heads'] = ['causal-lm', 'base', 'sequence-classification'];

/** A decoder of Llama's kind, with the head that the run asks for. */
function build(builder: Builder, run: MemoryRun, options: DecoderOptions): Model {
  const parts = buildDecoder(builder, run);
  const head = decoderHead(builder, run, parts.table, options);
  return (tape, batch) =>
    tape.call([], () => {
      const hidden = tape.name(decoder(tape, batch, parts, run, options));
      return head(tape, hidden, batch);
    });
}

/** RMSNorm, rotary positions, grouped key heads, gated MLP, one residual stream. */
export const llama: Architecture = {
  modelTypes: ['llama', 'mistral', 'qwen2'],
  source: 'transformers 5.23.0, models/llama/modeling_llama.py',
  heads,
  missing: () => [],
  build: (builder, run) => build(builder, run, { scaled: false }),
};

/** Llama with embeddings, residuals and logits multiplied by numbers. */
export const granite: Architecture = {
  modelTypes: ['granite'],
  source: 'transformers 5.23.0, models/granite/modeling_granite.py',
  heads,
  missing: () => [],
  build: (builder, run) => build(builder, run, { scaled: true }),
};

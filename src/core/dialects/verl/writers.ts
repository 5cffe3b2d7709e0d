import type { WriterTable, Written } from '../dialect';
import { isSft } from './rules';

const write = (key: string, value: string | number | boolean, near: readonly string[] = []): Written => ({
  ok: true,
  writes: [{ key, value, near }],
});
const refuse = (why: string): Written => ({ ok: false, why });

const ACTOR = 'actor_rollout_ref.actor';

/** How verl wants to be told what is more than one plain key. */
export const verlWriters: WriterTable = {
  microBatchSize: (to, run) =>
    write(isSft(run) ? 'data.micro_batch_size_per_gpu' : `${ACTOR}.ppo_micro_batch_size_per_gpu`, to),
  gradAccum: () => refuse('Accumulation follows from the mini batch, which is the algorithm’s.'),
  seqLen: (to, run) =>
    isSft(run)
      ? write('data.max_length', to)
      : refuse('The length is that of prompts and that of responses: which to cut is yours to say.'),
  method: (to, run) =>
    to === run.get('method').value
      ? { ok: true, writes: [] }
      : refuse('Adapters need lora_rank, and load_format: safetensors for the rollout.'),
  gradientCheckpointing: (to, run) =>
    write(
      isSft(run)
        ? 'model.enable_gradient_checkpointing'
        : 'actor_rollout_ref.model.enable_gradient_checkpointing',
      to,
    ),
  packing: (to, run) =>
    write(isSft(run) ? 'use_remove_padding' : 'actor_rollout_ref.model.use_remove_padding', to),
  precision: () => refuse('verl computes in bf16.'),
  quantization: () => refuse('verl does not train on quantised weights.'),
  attention: () => refuse('verl takes FlashAttention.'),
  loss: (to, run) =>
    to === 'liger'
      ? write(isSft(run) ? 'model.use_liger' : 'actor_rollout_ref.model.use_liger', true)
      : refuse(`verl has no word for the loss ${to}.`),
};

import type { WriterTable, Written } from '../dialect';

const write = (key: string, value: string | number | boolean, near: readonly string[] = []): Written => ({
  ok: true,
  writes: [{ key, value, near }],
});
const refuse = (why: string): Written => ({ ok: false, why });

/** How Composer's trainer wants to be told what is more than one plain key. */
export const llmFoundryWriters: WriterTable = {
  gradAccum: (to, run) => {
    const micro = run.get('microBatchSize').value;
    const gpus = run.get('gpus').value;
    if (micro === null || gpus === null) {
      return refuse('Accumulation follows from the global batch and the GPUs.');
    }
    return write('global_train_batch_size', to * micro * gpus, ['device_train_microbatch_size']);
  },
  method: (to, run) =>
    to === run.get('method').value
      ? { ok: true, writes: [] }
      : refuse('Adapters are a section, model.peft_config, with a rank and targets of your choice.'),
  gradientCheckpointing: (to, run) =>
    run.has('fsdp_config')
      ? write('fsdp_config.activation_checkpointing', to, ['fsdp_config.mixed_precision'])
      : refuse('Composer checkpoints activations as part of FSDP, and there is no fsdp_config.'),
  quantization: () => refuse('LLM Foundry does not train on quantised weights.'),
  loadDtype: () => refuse('Weights are held in fp32.'),
  attention: (to, run) => {
    if (run.word('model.name')?.startsWith('mpt') === true) {
      return write('model.attn_config.attn_impl', to === 'flash_attention_2' ? 'flash' : 'torch');
    }
    // The flag only knows FlashAttention-2 and eager.
    return to === 'flash_attention_2' && !run.has('model.attn_implementation')
      ? write('model.use_flash_attention_2', true)
      : write('model.attn_implementation', to);
  },
  loss: () => refuse('The loss is the model’s.'),
  packing: to =>
    write('train_loader.dataset.packing_ratio', to ? 'auto' : 1, ['train_loader.dataset.max_seq_len']),
  offload: (to, run) =>
    to.activations === 'cpu' && run.has('fsdp_config')
      ? write('fsdp_config.activation_cpu_offload', true, ['fsdp_config.activation_checkpointing'])
      : refuse('Composer offloads no parameters.'),
};

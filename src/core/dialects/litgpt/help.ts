import type { KeyHelp } from '../dialect';

/** What LitGPT's keys do to memory; sources as in the dialect's table. */
export const litgptHelp: Readonly<Record<string, KeyHelp>> = {
  'train.micro_batch_size': {
    text: 'Rows of one forward pass on each GPU. Activations and logits grow with it in proportion.',
    byDefault: '1 (finetune), 4 (pretrain)',
  },
  'train.global_batch_size': {
    text: 'Samples of one optimizer step over all GPUs. Accumulation follows from it, and takes no activations.',
    byDefault: '16 (finetune), 512 (pretrain)',
  },
  'train.max_seq_length': {
    text: 'Longest row in tokens. Nothing set: the longest sample decides, up to what the model can read.',
    byDefault: 'null',
  },
  precision: {
    text: '`-true` holds weights, gradients and optimizer states in that dtype; `-mixed` keeps all of them in fp32 beside 16-bit compute.',
    values: ['bf16-true', 'bf16-mixed', '16-true', '16-mixed', '32-true'],
    byDefault: 'bf16-mixed where the GPU has bf16, else 16-mixed',
  },
  quantize: {
    text: 'Holds the base weights in 4 or 8 bits (bitsandbytes). Needs a `-true` precision and one GPU, and makes the optimizer PagedAdamW.',
    values: ['bnb.nf4', 'bnb.nf4-dq', 'bnb.fp4', 'bnb.fp4-dq', 'bnb.int8-training'],
    byDefault: 'null',
  },
  devices: {
    text: 'GPUs of each node. From the second on weights are sharded, and finetuning checkpoints activations: memory per GPU falls for two reasons.',
    byDefault: '1 (finetune), auto (pretrain)',
  },
  num_nodes: { text: 'Machines; the GPUs of all share the global batch.', byDefault: '1' },
  lora_r: {
    text: 'Rank of the adapters: their weights, gradients and states grow with it.',
    byDefault: '8',
  },
  lora_query: { text: 'Adapters on the queries’ projection.', values: ['true', 'false'], byDefault: 'true' },
  lora_key: { text: 'Adapters on the keys’ projection.', values: ['true', 'false'], byDefault: 'false' },
  lora_value: { text: 'Adapters on the values’ projection.', values: ['true', 'false'], byDefault: 'true' },
  lora_projection: {
    text: 'Adapters on the output of attention.',
    values: ['true', 'false'],
    byDefault: 'false',
  },
  lora_mlp: {
    text: 'Adapters on the MLP, which has most of the parameters.',
    values: ['true', 'false'],
    byDefault: 'false',
  },
  lora_head: {
    text: 'Adapters on the head, whose output is as wide as the vocabulary.',
    values: ['true', 'false'],
    byDefault: 'false',
  },
  optimizer: {
    text: 'Class of the optimizer. AdamW keeps two states a parameter in the dtype of the weights.',
    byDefault: 'AdamW',
  },
  'train.tie_embeddings': {
    text: 'Shares the embedding with the head: one matrix less of vocabulary × width. Pretraining only.',
    values: ['true', 'false'],
  },
  'data.init_args.num_workers': {
    text: 'Processes that load data for each GPU; host memory only.',
    byDefault: '4',
  },
};

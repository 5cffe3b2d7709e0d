import type { KeyHelp } from '../dialect';

const FLAG = ['True', 'False'];

/** What NeMo's keys do to memory; sources as in the dialect's table. */
export const nemoMegatronHelp: Readonly<Record<string, KeyHelp>> = {
  'model.micro_batch_size': {
    text: 'Rows of one forward pass of each data-parallel group. Activations and logits grow with it in proportion.',
    byDefault: '4',
  },
  'model.global_batch_size': {
    text: 'Rows of one step over all GPUs: what micro batches do not fill is accumulated. A multiple of the micro batch times the data-parallel groups.',
    byDefault: '8',
  },
  'trainer.devices': { text: 'GPUs of one node.' },
  'trainer.num_nodes': { text: 'Nodes; GPUs are `trainer.devices` times this.' },
  'trainer.accumulate_grad_batches': {
    text: 'Stays 1: Megatron accumulates by itself, by the two batch sizes.',
    byDefault: '1',
  },
  'trainer.precision': {
    text: 'Dtype of the products. Weights stay fp32 under autocast, unless `model.megatron_amp_O2` is on.',
    values: ['bf16', 'bf16-mixed', '16', '16-mixed', '32'],
  },
  'model.megatron_amp_O2': {
    text: 'Weights in 16 bits beside an fp32 copy in the optimizer: 18 bytes a parameter, of which a distributed optimizer shares out 12.',
    values: FLAG,
    byDefault: 'False',
  },
  'model.encoder_seq_length': { text: 'Tokens of a row in pretraining.', byDefault: '512' },
  'model.data.train_ds.max_seq_length': { text: 'Longest row in fine-tuning, in tokens.', byDefault: '2048' },
  'model.activations_checkpoint_granularity': {
    text: '`full` keeps the inputs of layers only, `selective` leaves out the attention’s inner part. null keeps everything.',
    values: ['selective', 'full', 'null'],
    byDefault: 'null',
  },
  'model.activations_checkpoint_method': {
    text: 'With `full`: `uniform` checkpoints groups of layers, `block` the first ones of each pipeline stage.',
    values: ['uniform', 'block'],
    byDefault: 'null',
  },
  'model.activations_checkpoint_num_layers': {
    text: 'Layers of a group, or layers that are checkpointed, by the method.',
    byDefault: 'null',
  },
  'model.tensor_model_parallel_size': { text: 'GPUs that share each layer’s matrices.', byDefault: '1' },
  'model.pipeline_model_parallel_size': {
    text: 'GPUs that have some layers each. The first one holds activations of as many micro batches as there are stages.',
    byDefault: '1',
  },
  'model.context_parallel_size': { text: 'GPUs that share each row’s tokens.', byDefault: '1' },
  'model.sequence_parallel': {
    text: 'Tensor-parallel GPUs share norms and dropouts by tokens too: what they keep for backward shrinks by their number.',
    values: FLAG,
    byDefault: 'False',
  },
  'model.optim.name': {
    text: 'Optimizer. The distributed ones share fp32 copies and both moments among the data-parallel GPUs.',
    values: ['fused_adam', 'distributed_fused_adam', 'mcore_distributed_optim', 'adamw'],
  },
  'model.peft.peft_scheme': {
    text: 'What is trained in fine-tuning; null trains everything.',
    values: ['lora', 'adapter', 'ia3', 'ptuning', 'selective', 'null'],
  },
  'model.peft.lora_tuning.adapter_dim': {
    text: 'Rank of the adapters: their weights, gradients and states grow with it.',
    byDefault: '32',
  },
  'model.cpu_offloading': {
    text: 'Moves activations of some layers to the host until backward.',
    values: FLAG,
    byDefault: 'False',
  },
  'model.fsdp': {
    text: 'Torch’s FSDP in place of Megatron’s sharding: it turns `megatron_amp_O2` off and refuses distributed optimizers.',
    values: FLAG,
    byDefault: 'False',
  },
};

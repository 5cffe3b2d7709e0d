import type { KeyHelp } from '../dialect';
import { FLAG } from '../shared/switches';

/** What Automodel's keys do to memory; sources as in the dialect's table. */
export const automodelHelp: Readonly<Record<string, KeyHelp>> = {
  'step_scheduler.local_batch_size': {
    text: 'Rows of one forward pass on each GPU. Activations and logits grow with it in proportion.',
  },
  'step_scheduler.global_batch_size': {
    text: 'Rows of one optimizer step on all GPUs together: what the local batches do not fill is accumulated. It has to be a multiple of the local batch times the data-parallel GPUs.',
  },
  'packed_sequence.packed_sequence_size': {
    text: 'Fills rows up to this many tokens with several samples: every step then takes the worst case. 0 turns packing off.',
    byDefault: '0',
  },
  'model.torch_dtype': {
    text: 'Dtype that weights are loaded in and stay in. `bfloat16` keeps Adam’s states in bf16 as well; `float32` keeps them in fp32 and computes in the dtype of `mp_policy`.',
    values: ['auto', 'bfloat16', 'float32'],
    byDefault: 'auto',
  },
  'distributed.strategy': {
    text: 'How weights, gradients and states are shared out: FSDP 2 and Megatron’s FSDP shard all of them, DDP keeps a copy on each GPU.',
    values: ['fsdp2', 'megatron_fsdp', 'ddp'],
    byDefault: 'fsdp2',
  },
  'distributed.tp_size': {
    text: 'GPUs that share each layer’s matrices. It leaves fewer GPUs for data.',
    byDefault: '1',
  },
  'distributed.cp_size': { text: 'GPUs that share each row’s tokens.', byDefault: '1' },
  'distributed.pp_size': { text: 'GPUs that have some layers each.', byDefault: '1' },
  'distributed.dp_replicate_size': {
    text: 'Groups of GPUs that each hold a whole sharded copy: shards get larger by that factor.',
    byDefault: '1',
  },
  'distributed.activation_checkpointing': {
    text: 'Keeps only the input of each layer and computes the rest again in backward. `selective` keeps more of it.',
    values: ['true', 'false', 'full', 'selective'],
    byDefault: 'false',
  },
  'distributed.sequence_parallel': {
    text: 'Tensor-parallel GPUs share norms and residuals by tokens as well.',
    values: FLAG,
    byDefault: 'false',
  },
  'quantization.load_in_4bit': {
    text: 'Frozen weights in 4 bits, with adapters on them: half a byte a parameter, and scales.',
    values: FLAG,
    byDefault: 'false',
  },
  'peft.dim': {
    text: 'Rank of the adapters: their weights, gradients and states grow with it.',
    byDefault: '8',
  },
  'peft.match_all_linear': { text: 'Adapters on every linear layer.', values: FLAG, byDefault: 'false' },
  'loss_fn._target_': {
    text: 'Class of the loss. `FusedLinearCrossEntropy` never holds all logits, `ChunkedCrossEntropy` a part of them at a time.',
  },
  'optimizer._target_': {
    text: 'Class of the optimizer: AdamW keeps two states a parameter in the dtype of the weights.',
  },
};

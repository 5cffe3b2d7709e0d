import type { Signature } from './signature';

/** Frameworks whose configs share words with ours: where one of them is told more clearly, the file is theirs. */
export interface Stranger {
  /** As its dialect will be called; an entry is of no effect once there is one. */
  readonly id: string;
  readonly signature: Signature;
}

export const strangers: readonly Stranger[] = [
  {
    id: 'nanotron',
    signature: {
      strong: [
        'parallelism.dp',
        'tokens.micro_batch_size',
        'tokens.sequence_length',
        'optimizer.zero_stage',
        'parallelism.pp_engine',
      ],
      medium: [
        'data_stages',
        'general.consumed_train_samples',
        'checkpoints.checkpoints_path',
        'model.model_config',
        'model.init_method',
      ],
      weak: ['general', 'logging.iteration_step_info_interval', 'tokenizer.tokenizer_name_or_path'],
      against: [],
      least: 4,
    },
  },
  {
    id: 'gpt-neox',
    signature: {
      strong: ['pipe_parallel_size', 'pipe-parallel-size', 'model_parallel_size', 'model-parallel-size'],
      medium: [
        'train_micro_batch_size_per_gpu',
        'zero_optimization',
        'num_layers',
        'num-layers',
        'seq_length',
        'seq-length',
        'no_weight_tying',
        'pos_emb',
        'checkpoint_activations',
      ],
      weak: ['hidden_size', 'fp16'],
      against: ['args'],
      least: 6,
    },
  },
];

import type { Dialect } from './dialect';
import { count, oneOf } from './engine/readers';
import { both, checkpointing, optimizer, parallel, precision, precisionRaw, strategy } from './gptNeox/rules';
import { neoxModel } from './gptNeox/ownModel';
import { gptNeoxLaunch, gptNeoxLogs } from './gptNeox/output';
import { gptNeoxHelp } from './gptNeox/help';
import { gptNeoxWriters } from './gptNeox/writers';

/**
 * GPT-NeoX, whose `-` and `_` in keys are alike. A run takes several of these files together, named on the command line:
 * what one of them leaves out another may say. Sources are files of EleutherAI/gpt-neox ea7aefd.
 */
export const gptNeox: Dialect = {
  id: 'gpt-neox',
  title: 'GPT-NeoX',
  role: 'run',
  framework: { name: 'gpt-neox', version: '2.0.0' },
  loader: 'pyyaml',
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
      'no-weight-tying',
      'pos_emb',
      'pos-emb',
      'checkpoint_activations',
      'checkpoint-activations',
    ],
    weak: ['hidden_size', 'hidden-size', 'fp16'],
    // Megatron-LM's own arguments are spelt alike.
    against: ['args', 'model_name_or_path', 'trainer', 'tensor_model_parallel_size', 'micro_batch_size'],
    least: 6,
  },
  quantities: {
    model: run => run.unknown('The config gives the sizes of a model, and no name.'),
    task: run => run.byCode('lm_pretrain', 'train.py trains a language model'),
    method: run => run.byCode('full', 'megatron/training.py: all parameters'),
    microBatchSize: {
      keys: both('train_micro_batch_size_per_gpu'),
      read: count,
    },
    globalBatchSize: { keys: both('train_batch_size'), read: count },
    gradAccum: {
      keys: both('gradient_accumulation_steps'),
      read: count,
      absent: { value: 1, source: 'megatron/neox_arguments: gradient_accumulation_steps is 1' },
    },
    seqLen: { keys: both('seq_length'), read: count },
    packing: run => run.unknown('Rows are cut out of a corpus: they are as long as the sequence.'),
    precision,
    precisionRaw,
    loadDtype: run => {
      const compute = run.get('precision').value;
      return compute === 'bf16' || compute === 'fp16' || compute === 'fp32'
        ? run.derived(compute, ['precision'], 'DeepSpeed holds weights in the compute dtype')
        : run.unknown('The precision is not known.');
    },
    quantization: run => run.none('GPT-NeoX trains no quantised weights'),
    optimizer,
    gradientCheckpointing: checkpointing,
    attention: run => run.unknown('attention_config says it layer by layer.'),
    zeroStage: {
      keys: ['zero_optimization.stage', 'zero-optimization.stage'],
      read: oneOf<0 | 1 | 2 | 3>({ 0: 0, 1: 1, 2: 2, 3: 3 }),
      absent: { value: 0, source: 'megatron/neox_arguments: zero_optimization is None' },
    },
    fsdp: run => run.none('GPT-NeoX shards with DeepSpeed'),
    parallel,
    strategy,
    accelerator: run => run.byCode('cuda', 'GPT-NeoX trains on GPUs'),
    numWorkers: { keys: both('num_workers'), read: count },
    gpus: { keys: both('num_gpus'), read: count },
  },
  details: { autocast: run => run.byCode(false, 'DeepSpeed computes in the dtype of the weights') },
  ownModel: neoxModel,
  launch: gptNeoxLaunch,
  program: {
    words: /(?:^|[/ ])deepy\.py(?= |$)/,
    configs: ['conf_file'],
    ending: '.yml',
    folder: ['conf_dir', 'd'],
    refusesTwice: true,
    source: 'megatron/neox_arguments/arguments.py, consume_deepy_args and from_ymls',
  },
  logs: gptNeoxLogs,
  help: gptNeoxHelp,
  writers: gptNeoxWriters,
};

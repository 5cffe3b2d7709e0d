import type { Dialect } from './dialect';
import { count, flag, word } from './engine/readers';
import { levanterModel } from './levanter/ownModel';
import { loadDtype, microBatch, precision } from './levanter/rules';
import { levanterLaunch } from './levanter/output';
import { levanterHelp } from './levanter/help';
import { levanterWriters } from './levanter/writers';
import { levanterForms } from '../data/forms/trainers';

const TRAINER = 'levanter/trainer.py, TrainerConfig';

/** levanter, on JAX; sources are files of stanford-crfm/levanter 9263f81. */
export const levanter: Dialect = {
  id: 'levanter',
  title: 'levanter',
  role: 'run',
  framework: { name: 'levanter', version: '1.2' },
  loader: 'pyyaml',
  signature: {
    strong: [
      'trainer.mp',
      'trainer.train_batch_size',
      'trainer.per_device_parallelism',
      'trainer.tensor_parallel_axes',
    ],
    medium: [
      'model.type~^(?:llama|gpt2|mistral|mixtral|gemma|qwen|olmo|backpack|mpt|whisper)',
      'trainer.num_train_steps',
      'trainer.tracker.*',
      'data.train_urls[]',
      'trainer.tracker[].type',
      'data.id',
      'data.cache_dir',
    ],
    weak: ['optimizer.learning_rate', 'trainer.model_axis_size'],
    against: ['trainer.devices', 'trainer.accelerator'],
    least: 6,
  },
  quantities: {
    model: { keys: ['model.type', 'initialize_from_hf'], read: word },
    task: run => run.byCode('lm_pretrain', 'levanter/main/train_lm.py'),
    method: run => run.byCode('full', 'levanter/main/train_lm.py: all parameters'),
    globalBatchSize: {
      keys: ['trainer.train_batch_size'],
      read: count,
      absent: { value: 512, source: `${TRAINER} L694` },
    },
    microBatchSize: microBatch,
    gradAccum: run => {
      const [total, micro] = [run.get('globalBatchSize').value, run.get('microBatchSize').value];
      const gpus = run.get('gpus').value;
      if (total === null || micro === null || gpus === null) {
        return run.unknown(
          'Batches of a step ÷ (per_device_parallelism × devices), whose number is not in the file.',
        );
      }
      return run.derived(
        Math.ceil(total / (micro * gpus)),
        ['globalBatchSize'],
        `${total} ÷ (${micro} × ${gpus})`,
      );
    },
    evalBatchSize: {
      keys: ['trainer.per_device_eval_parallelism'],
      read: value => (value === -1 ? { left: 'is -1: the batch divided by the devices' } : count(value)),
    },
    seqLen: { keys: ['train_seq_len', 'model.seq_len', 'model.max_seq_len'], read: count },
    precision,
    precisionRaw: run =>
      run.has('trainer.mp')
        ? run.at('trainer.mp', `mp: ${run.word('trainer.mp') ?? ''}`)
        : run.unknown('trainer.mp is not set.'),
    loadDtype,
    quantization: run => run.none('levanter trains in the dtypes of trainer.mp'),
    optimizer: {
      keys: ['optimizer.type'],
      read: word,
      absent: run =>
        run.has('optimizer')
          ? run.byDefault('adam', 'levanter/optim/config.py: AdamConfig')
          : run.unknown('optimizer is not set.'),
    },
    gradientCheckpointing: {
      keys: ['model.gradient_checkpointing'],
      read: flag,
      absent: { value: true, source: 'levanter/models/llama.py: gradient_checkpointing is True' },
    },
    zeroStage: run => run.none('JAX shards by axes of its mesh'),
    fsdp: run => run.none('JAX shards by axes of its mesh'),
    accelerator: run => run.byCode('jax', 'levanter runs on JAX'),
  },
  ownModel: levanterModel,
  launch: levanterLaunch,
  logs: levanterForms,
  help: levanterHelp,
  writers: levanterWriters,
};

import type { Dialect } from './dialect';
import { count, flag } from './engine/readers';
import { linguaModel } from './lingua/ownModel';
import { fsdp, parallel, strategy } from './lingua/rules';
import { dtypeWord } from './shared/words';
import { linguaLaunch, linguaLogs } from './lingua/output';
import { linguaHelp } from './lingua/help';
import { linguaWriters } from './lingua/writers';

const ARGS = 'lingua/distributed.py, DistributedArgs';

/** lingua's apps; sources are files of facebookresearch/lingua 437d680. */
export const lingua: Dialect = {
  id: 'lingua',
  title: 'lingua',
  role: 'run',
  framework: { name: 'lingua', version: '437d680' },
  loader: 'omegaconf',
  signature: {
    strong: ['distributed.fsdp_type', 'grad_acc_steps', 'data.n_views'],
    medium: [
      'distributed.model_dtype',
      'distributed.selective_activation_checkpointing',
      'data.seq_len',
      'model.n_layers',
      'checkpoint.dump.*',
    ],
    weak: ['optim.lr_min_ratio', 'probe_freq'],
    against: [],
    needs: ['data.batch_size', 'data.seq_len', 'model.dim', 'distributed'],
    least: 6,
  },
  quantities: {
    model: run =>
      run.has('model.dim')
        ? run.derived('llama', ['model.dim'], 'apps/main/transformer.py: the layers of Llama')
        : run.unknown('model.dim is not set.'),
    task: run => run.byCode('lm_pretrain', 'apps/main/train.py trains a language model'),
    method: run => run.byCode('full', 'apps/main/train.py: all parameters'),
    microBatchSize: {
      keys: ['data.batch_size'],
      read: count,
      absent: { value: 2, source: 'lingua/data.py, DataArgs' },
    },
    gradAccum: {
      keys: ['grad_acc_steps'],
      read: count,
      absent: { value: 1, source: 'apps/main/train.py, TrainArgs' },
    },
    seqLen: {
      keys: ['data.seq_len'],
      read: count,
      absent: { value: 2048, source: 'lingua/data.py, DataArgs' },
    },
    precision: {
      keys: ['distributed.model_dtype'],
      read: dtypeWord,
      absent: { value: 'bf16', source: ARGS },
    },
    precisionRaw: run =>
      run.has('distributed.model_dtype')
        ? run.at(
            'distributed.model_dtype',
            `distributed.model_dtype ${run.word('distributed.model_dtype') ?? ''}`,
          )
        : run.unknown('distributed.model_dtype is not set.'),
    // FSDP's mixed precision casts; what it shards is fp32.
    loadDtype: run => run.byCode('fp32', 'apps/main/train.py: the model is made in torch’s default dtype'),
    quantization: run => run.none('lingua trains no quantised weights'),
    optimizer: run => run.unknown('lingua/optim.py always steps with AdamW, and no key says it.'),
    gradientCheckpointing: {
      keys: ['distributed.selective_activation_checkpointing'],
      read: flag,
      absent: { value: false, source: ARGS },
    },
    zeroStage: run => run.none('lingua has no DeepSpeed'),
    fsdp,
    parallel,
    strategy,
    accelerator: run => run.byCode('cuda', 'lingua trains on GPUs'),
    compile: { keys: ['distributed.compile'], read: flag, absent: { value: false, source: ARGS } },
  },
  details: { autocast: run => run.byCode(false, 'FSDP casts, no autocast') },
  ownModel: linguaModel,
  launch: linguaLaunch,
  logs: linguaLogs,
  help: linguaHelp,
  writers: linguaWriters,
};

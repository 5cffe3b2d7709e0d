import type { Dtype } from '../spec/values';
import type { Dialect } from './dialect';
import { count, word } from './engine/readers';
import { withBases } from './engine/bases';
import { maxtextModel } from './maxtext/ownModel';
import { dtype, microBatch, parallel, remat } from './maxtext/rules';
import { maxtextLaunch, maxtextLogs } from './maxtext/output';
import { maxtextHelp } from './maxtext/help';

const BASE = 'configs/base.yml';

/** MaxText, on JAX; sources are files of AI-Hypercomputer/maxtext e591f30. */
export const maxtext: Dialect = {
  id: 'maxtext',
  title: 'MaxText',
  role: 'run',
  framework: { name: 'maxtext', version: 'e591f30' },
  loader: 'pyyaml',
  signature: {
    strong: [
      'per_device_batch_size',
      'base_emb_dim',
      'ici_fsdp_parallelism',
      'decoder_block',
      'ici_tensor_parallelism',
    ],
    medium: [
      'max_target_length',
      'remat_policy',
      'base_num_decoder_layers',
      'base_mlp_dim',
      'hardware',
      'dcn_data_parallelism',
      String.raw`base_config~\.yml`,
      'scan_layers',
      'logical_axis_rules',
    ],
    weak: ['dtype', 'steps', 'vocab_size', 'sharding_strategy', 'allow_split_physical_axes'],
    against: [],
    least: 6,
  },
  quantities: {
    model: { keys: ['model_name'], read: word },
    task: run => {
      const bases = run.has('base_config') ? (run.word('base_config') ?? '') : '';
      return bases.includes('inference')
        ? run.derived('infer', ['base_config'], 'it lies on the config for inference')
        : run.byCode('lm_pretrain', 'MaxText/train.py');
    },
    method: run => run.byCode('full', 'MaxText/train.py: all parameters'),
    microBatchSize: microBatch,
    gradAccum: {
      keys: ['gradient_accumulation_steps'],
      read: count,
      absent: { value: 1, source: BASE },
    },
    seqLen: { keys: ['max_target_length'], read: count, absent: { value: 2048, source: BASE } },
    precision: dtype<string>('dtype', 'bf16', `${BASE} L114`),
    precisionRaw: run =>
      run.has('dtype')
        ? run.at('dtype', `dtype: ${run.word('dtype') ?? ''}`)
        : run.unknown('dtype is not set.'),
    loadDtype: dtype<Dtype>('weight_dtype', 'fp32', `${BASE} L174`),
    quantization: run => run.none('MaxText keeps trained weights in weight_dtype'),
    optimizer: { keys: ['opt_type'], read: word, absent: { value: 'adamw', source: BASE } },
    gradientCheckpointing: remat,
    zeroStage: run => run.none('JAX shards by axes of its mesh'),
    fsdp: run => run.none('JAX shards by axes of its mesh'),
    parallel,
    accelerator: { keys: ['hardware'], read: word, absent: { value: 'tpu', source: BASE } },
  },
  ownModel: maxtextModel,
  compose: withBases({ keys: ['base_config'] }),
  launch: maxtextLaunch,
  logs: maxtextLogs,
  help: maxtextHelp,
};

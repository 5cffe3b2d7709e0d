import type { Dialect } from './dialect';
import { count, countOrNone, oneOf, word } from './engine/readers';
import { model, nanotronModel } from './nanotron/ownModel';
import { devices, fsdp, parallel, strategy } from './nanotron/rules';
import { dtypeWord, torchName, written } from './shared/words';
import { nanotronLaunch, nanotronLogs } from './nanotron/output';
import { nanotronHelp } from './nanotron/help';

/** nanotron; sources are files of huggingface/nanotron 2411b02. */
export const nanotron: Dialect = {
  id: 'nanotron',
  title: 'nanotron',
  role: 'run',
  framework: { name: 'nanotron', version: '0.5' },
  loader: 'pyyaml',
  signature: {
    strong: [
      'tokens.micro_batch_size',
      'parallelism.tp',
      'parallelism.dp',
      'tokens.batch_accumulation_per_replica',
      'parallelism.pp_engine',
    ],
    medium: [
      'model.model_config.*',
      'data_stages[].data',
      'optimizer.zero_stage',
      'tokens.sequence_length',
      'checkpoints.checkpoints_path',
    ],
    weak: ['general.project', 'logging.iteration_step_info_interval', 'tokenizer.tokenizer_name_or_path'],
    against: [],
    least: 6,
  },
  quantities: {
    model,
    task: run => run.byCode('lm_pretrain', 'run_train.py trains a language model'),
    method: run => run.byCode('full', 'nanotron/trainer.py: all parameters'),
    microBatchSize: { keys: ['tokens.micro_batch_size'], read: count },
    gradAccum: { keys: ['tokens.batch_accumulation_per_replica'], read: count },
    seqLen: { keys: ['tokens.sequence_length'], read: count },
    precision: { keys: ['model.dtype'], read: dtypeWord, write: torchName },
    precisionRaw: run =>
      run.has('model.dtype')
        ? run.at('model.dtype', `model.dtype ${written(run.value('model.dtype'))}`)
        : run.unknown('model.dtype is not set.'),
    loadDtype: { keys: ['model.dtype'], read: dtypeWord, write: torchName },
    quantization: run => run.none('nanotron trains no quantised weights'),
    optimizer: { keys: ['optimizer.optimizer_factory.name'], read: word },
    gradientCheckpointing: run =>
      run.has('parallelism.recompute_layer')
        ? run.at('parallelism.recompute_layer', run.flag('parallelism.recompute_layer'))
        : run.byDefault(false, 'config/parallelism_config.py: recompute_layer is False'),
    zeroStage: { keys: ['optimizer.zero_stage'], read: oneOf<0 | 1>({ 0: 0, 1: 1 }) },
    fsdp,
    parallel,
    devices,
    gpus: devices,
    strategy,
    accelerator: run => run.byCode('cuda', 'nanotron trains on GPUs'),
    numWorkers: { keys: ['data_stages[0].data.num_loading_workers'], read: countOrNone },
  },
  details: { autocast: run => run.byCode(false, 'nanotron computes in the dtype of the model') },
  ownModel: nanotronModel,
  launch: nanotronLaunch,
  logs: nanotronLogs,
  help: nanotronHelp,
};

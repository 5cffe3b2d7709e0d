import { builtIn } from './defined/compile';
import file from './litgpt.yaml';
import type { Dialect } from './dialect';
import { number } from './engine/readers';
import {
  accumulation,
  activationCheckpointing,
  fsdp,
  isPretraining,
  loadDtype,
  lora,
  loss,
  method,
  offload,
  optimizer,
  packing,
  precision,
  precisionRaw,
  quantization,
  task,
} from './litgpt/rules';
import { litgptWriters } from './litgpt/writers';
import { autocastByPrecision, lightningDevices } from './shared/lightning';
import { datasetsBy } from './shared/datasets';

/** LitGPT's finetune and pretrain configs; sources are files of Lightning-AI/litgpt 2685705 (0.5.13). */
export const litgpt: Dialect = builtIn(file, {
  quantities: {
    task,
    method,
    microBatchSize: {
      absent: run =>
        isPretraining(run)
          ? run.byDefault(4, 'litgpt/pretrain.py setup(): TrainArgs(micro_batch_size=4)')
          : run.byDefault(1, 'litgpt/finetune/*.py setup(): TrainArgs(micro_batch_size=1)'),
    },
    globalBatchSize: {
      absent: run =>
        isPretraining(run)
          ? run.byDefault(512, 'litgpt/pretrain.py setup(): TrainArgs(global_batch_size=512)')
          : run.byDefault(16, 'litgpt/finetune/*.py setup(): TrainArgs(global_batch_size=16)'),
    },
    gradAccum: accumulation,
    // generate and eval take what training takes: litgpt/finetune/*.py get_dataloaders.
    evalBatchSize: run =>
      run.derived(run.get('microBatchSize').value, ['microBatchSize'], 'validation takes micro batches'),
    packing,
    precision,
    precisionRaw,
    loadDtype,
    quantization,
    optimizer,
    gradientCheckpointing: activationCheckpointing,
    loss,
    lora,
    fsdp,
    offload,
    devices: {
      read: lightningDevices,
      absent: run =>
        isPretraining(run)
          ? run.byDefault<number | 'auto'>('auto', 'litgpt/pretrain.py setup(): devices is auto')
          : run.byDefault<number | 'auto'>(1, 'litgpt/finetune/*.py setup(): devices is 1'),
    },
    compile: run =>
      isPretraining(run)
        ? run.byCode(true, 'litgpt/pretrain.py L213: torch.compile(model)')
        : run.byCode(false, 'litgpt/finetune/*.py'),
  },
  details: {
    autocast: autocastByPrecision,
    paddedRows: run =>
      isPretraining(run)
        ? run.byCode(false, 'litgpt/data: tokens of a stream')
        : run.byCode(true, 'litgpt/data/base.py get_sft_collate_fn pads to the longest row'),
    fusedOptimizer: run =>
      isPretraining(run)
        ? run.byCode(true, 'litgpt/pretrain.py: instantiate_torch_optimizer with fused')
        : run.byDefault(false, 'litgpt/utils.py instantiate_torch_optimizer: fused in pretraining only'),
    evaluates: run => {
      const interval = run.read('eval.interval', number);
      return interval === null
        ? run.byDefault(true, 'litgpt/args.py EvalArgs: interval')
        : run.at('eval.interval', interval > 0);
    },
  },
  writers: litgptWriters,
  datasets: datasetsBy({ path: 'data.init_args.json_path', template: 'alpaca' }),
});

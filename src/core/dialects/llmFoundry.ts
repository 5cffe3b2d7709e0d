import { builtIn } from './defined/compile';
import file from './llmFoundry.yaml';
import type { Dialect } from './dialect';
import { attention, compile, lora, method, model, packing, quantization, task } from './llmFoundry/rules';
import { llmFoundryWriters } from './llmFoundry/writers';
import {
  evalBatchSize,
  fsdp,
  microBatchSize,
  offload,
  precisionRow,
  reentrant,
} from './shared/composerTrainer';
import { accumulationFromGlobal } from './engine/common';
import { autocastByPrecision } from './shared/lightning';
import { datasetsBy } from './shared/datasets';

/** LLM Foundry's training configs, alone or below `parameters` of a run on MosaicML's platform; mosaicml/llm-foundry 8c8dd48. */
export const llmFoundry: Dialect = builtIn(file, {
  quantities: {
    model,
    task,
    method,
    microBatchSize,
    gradAccum: accumulationFromGlobal,
    evalBatchSize,
    packing,
    precision: precisionRow(
      'bf16-mixed',
      'llmfoundry/utils/config_utils.py TrainConfig: precision is amp_bf16',
    ),
    quantization,
    attention,
    lora,
    fsdp,
    offload,
    parallel: run =>
      run.has('tp_config')
        ? run.unknown('tp_config shares layers among GPUs; how many is not read.')
        : run.none('llmfoundry/utils/config_utils.py TrainConfig: tp_config is None'),
    compile,
  },
  details: {
    autocast: autocastByPrecision,
    paddedRows: run =>
      run.get('task').value === 'pretrain'
        ? run.byCode(false, 'llmfoundry/data/text_data.py: rows of a stream')
        : run.byCode(true, 'llmfoundry/data/finetuning/collator.py'),
    fixedLength: run =>
      run.flag('train_loader.dataset.allow_pad_trimming') === true
        ? run.at('train_loader.dataset.allow_pad_trimming', false)
        : run.byDefault(true, 'llmfoundry/data/finetuning/collator.py: rows are padded to max_seq_len'),
    reentrantCheckpointing: reentrant,
    evaluates: run =>
      run.has('eval_loader')
        ? run.at('eval_loader', true)
        : run.byDefault(false, 'llmfoundry/utils/config_utils.py TrainConfig: eval_loader is None'),
  },
  writers: llmFoundryWriters,
  datasets: datasetsBy({
    in: 'train_loader.dataset',
    path: 'hf_name',
    files: 'hf_kwargs.data_files',
    template: 'alpaca',
  }),
});

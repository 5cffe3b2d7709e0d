import { builtIn } from './defined/compile';
import file from './nemoMegatron.yaml';
import type { Dialect } from './dialect';
import { accumulationFromGlobal } from './engine/common';
import {
  attention,
  checkpoint,
  checkpointing,
  fsdp,
  fullPrecision,
  loadDtype,
  lora,
  method,
  offload,
  packing,
  parallel,
  precision,
  precisionRaw,
  selective,
  task,
} from './nemoMegatron/rules';
import { nemoModel } from './nemoMegatron/ownModel';
import { nemoMegatronWriters, selectiveKey } from './nemoMegatron/writers';

const PRETRAIN = 'NeMo conf/megatron_gpt_config.yaml';

/** NeMo 1.x on Megatron, and the files of its launcher; sources are files of NVIDIA/NeMo 8cfedd7 (2.6.0rc0). */
export const nemoMegatron: Dialect = builtIn(file, {
  quantities: {
    model: { read: checkpoint },
    task,
    method,
    gradAccum: accumulationFromGlobal,
    packing,
    precision,
    precisionRaw,
    loadDtype,
    gradientCheckpointing: checkpointing,
    attention,
    lora,
    fsdp,
    offload,
    parallel,
  },
  details: {
    autocast: run => run.derived(!fullPrecision(run), ['precision'], 'autocast unless megatron_amp_O2'),
    sequenceParallel: run =>
      run.has('model.sequence_parallel')
        ? run.at('model.sequence_parallel', run.flag('model.sequence_parallel'))
        : run.byDefault(false, PRETRAIN),
    pipelineChunks: run =>
      run.has(VIRTUAL)
        ? run.at(VIRTUAL, run.count(VIRTUAL))
        : run.byDefault(1, `${PRETRAIN}: virtual_pipeline_model_parallel_size is null`),
    distributedOptimizer: run => {
      const name = run.word('model.optim.name') ?? '';
      return run.at('model.optim.name', name.includes('distributed'));
    },
    selectiveCheckpointing: selective,
  },
  detailKeys: { selectiveCheckpointing: selectiveKey },
  writers: nemoMegatronWriters,
  ownModel: nemoModel,
});

const VIRTUAL = 'model.virtual_pipeline_model_parallel_size';

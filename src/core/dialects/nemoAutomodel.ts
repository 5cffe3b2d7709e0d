import { builtIn } from './defined/compile';
import file from './nemoAutomodel.yaml';
import type { Dialect } from './dialect';
import { accumulationFromGlobal } from './engine/common';
import { automodelOwnModel } from './nemoAutomodel/ownModel';
import {
  checkpointDtype,
  checkpointing,
  fsdp,
  loadDtype,
  lora,
  loss,
  method,
  offload,
  packing,
  parallel,
  precision,
  quantization,
  seqLen,
  task,
} from './nemoAutomodel/rules';
import { valueText } from './shared/words';
import { automodelWriters } from './nemoAutomodel/writers';
import { datasetsBy, templateBy } from './shared/datasets';

/** components/datasets/llm/chat_dataset.py: chat_template. */
const ownTemplate = templateBy('dataset.chat_template', 'tokenizer.chat_template');

/** NeMo Automodel; sources are files of NVIDIA-NeMo/Automodel 36044ad (0.5.0). */
export const nemoAutomodel: Dialect = builtIn(file, {
  quantities: {
    task,
    method,
    gradAccum: accumulationFromGlobal,
    seqLen,
    packing,
    precision,
    precisionRaw: run => {
      const key = ['model.torch_dtype', 'model.config.torch_dtype'].find(one => run.has(one));
      return key === undefined
        ? run.unknown('model.torch_dtype is not set.')
        : run.at(key, `${key}: ${valueText(run.value(key))}`);
    },
    loadDtype,
    quantization,
    gradientCheckpointing: checkpointing,
    loss,
    lora,
    fsdp,
    offload,
    parallel,
  },
  details: {
    unlimitedLength: run =>
      run.derived(
        run.get('seqLen').value === null,
        ['seqLen'],
        'rows are as long as the class of the data makes them',
      ),
    checkpointDtype,
    sequenceParallel: run =>
      run.has('distributed.sequence_parallel')
        ? run.at('distributed.sequence_parallel', run.flag('distributed.sequence_parallel'))
        : run.byDefault(false, 'components/distributed/config.py'),
  },
  writers: automodelWriters,
  datasets: datasetsBy(
    { path: 'dataset.path_or_dataset_id', template: 'chat', ownTemplate },
    { path: 'dataset.dataset_name', template: 'chat', ownTemplate },
    { path: 'dataset.path', template: 'chat', ownTemplate },
  ),
  ownModel: automodelOwnModel,
});

import { builtIn } from './defined/compile';
import file from './openInstruct.yaml';
import type { Dialect } from './dialect';
import { oneOf } from './engine/readers';
import { lora, loss, method, optimizer, quantization, task } from './openInstruct/rules';
import { openInstructWriters } from './openInstruct/writers';
import { sequencesPerSample } from './shared/tasks';
import { zeroStage } from './shared/sharding';
import { datasetsBy, templateBy } from './shared/datasets';

const SOURCE = 'open_instruct/finetune.py';

/** open_instruct/dataset_transformation.py: TokenizerConfig; without a name the tokenizer's. */
const ownTemplate = templateBy('chat_template_name');

/** AllenAI's scripts for SFT and DPO; sources are files of allenai/open-instruct e6c3044. */
export const openInstruct: Dialect = builtIn(file, {
  quantities: {
    task,
    method,
    loadDtype: run =>
      run.flag('use_liger_kernel')
        ? run.unknown('With Liger the script names no dtype: transformers decides it.')
        : run.byDefault('bf16', `${SOURCE}: torch_dtype=torch.bfloat16`),
    quantization,
    optimizer,
    loss,
    lora,
    zeroStage: run =>
      run.has('zero_stage')
        ? run.at('zero_stage', run.read('zero_stage', oneOf<0 | 1 | 2 | 3>({ 0: 0, 1: 1, 2: 2, 3: 3 })))
        : zeroStage(run, []),
    parallel: run => {
      const key = ['sequence_parallel_size', 'context_parallel_degree'].find(name => run.has(name));
      const tensor = run.count('tensor_parallel_degree') ?? 1;
      if (key === undefined && tensor === 1) return run.none(`${SOURCE}: sequence_parallel_size is 1`);
      const context = (key === undefined ? null : run.count(key)) ?? 1;
      return run.at(['sequence_parallel_size', 'context_parallel_degree', 'tensor_parallel_degree'], {
        tensor,
        context,
        pipeline: 1,
        expert: 1,
        dataShard: null,
        dataReplicate: null,
      });
    },
  },
  details: {
    fusedOptimizer: run =>
      run.flag('fused_optimizer') === false
        ? run.at('fused_optimizer', false)
        : run.byDefault(true, `${SOURCE}: fused_optimizer is true`),
    adapterDtype: run =>
      run.get('lora').value === null
        ? run.none('no adapter is trained')
        : run.byDefault('fp32', 'peft: autocast_adapter_dtype is true'),
    kbitPrepare: run =>
      run.flag('use_qlora')
        ? run.byCode('all', `${SOURCE}: prepare_model_for_kbit_training`)
        : run.none('the base is not quantised'),
    sequencesPerSample,
  },
  writers: openInstructWriters,
  datasets: datasetsBy(
    { path: 'train_file', template: 'chat', ownTemplate },
    { path: 'dataset_mixer_list', template: 'chat', ownTemplate },
    { path: 'dataset_mixer', template: 'chat', ownTemplate },
    { path: 'dataset_name', template: 'chat', ownTemplate },
  ),
});

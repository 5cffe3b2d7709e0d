import { builtIn } from './defined/compile';
import file from './torchtune.yaml';
import type { Dialect } from './dialect';
import { fsdp, lora, loss, method, offload, parallel, quantization, task } from './torchtune/rules';
import { torchtuneWriters } from './torchtune/writers';
import { datasetsBy } from './shared/datasets';

/** torchtune's recipes; sources are files of pytorch/torchtune bd2a0fc (0.7.0). */
export const torchtune: Dialect = builtIn(file, {
  quantities: {
    task,
    method,
    microBatchSize: {
      absent: run =>
        run.has('prompt')
          ? run.byCode(1, 'recipes/generate.py: one prompt')
          : run.unknown('batch_size is not set, and torchtune has no default for it.'),
    },
    evalBatchSize: {
      absent: run => {
        const micro = run.get('microBatchSize');
        return run.derived(
          micro.value,
          ['microBatchSize'],
          'batch_size_val is batch_size where it is absent',
        );
      },
    },
    packing: {
      absent: run =>
        run.get('task').value === 'sft'
          ? run.byDefault(false, 'torchtune/datasets: packed is False')
          : run.unknown('Datasets of this recipe are not packed.'),
    },
    precisionRaw: run => {
      const dtype = run.word('dtype');
      return dtype === null ? run.unknown('dtype is not set.') : run.at('dtype', `dtype: ${dtype}`);
    },
    quantization,
    loss,
    lora,
    fsdp,
    offload,
    parallel,
  },
  details: {
    unlimitedLength: run =>
      run.has('tokenizer.max_seq_len')
        ? run.at('tokenizer.max_seq_len', false)
        : run.byDefault(true, 'torchtune/data/_collate.py; models’ tokenizers: max_seq_len is None'),
    fusedOptimizer: run =>
      run.flag('optimizer.fused')
        ? run.at('optimizer.fused', true)
        : run.byDefault(false, 'torch.optim.AdamW: fused is None'),
    optimizerInBackward: run =>
      run.flag('optimizer_in_bwd')
        ? run.at('optimizer_in_bwd', true)
        : run.byDefault(false, 'recipes/*.py: optimizer_in_bwd'),
    referenceModel: run =>
      run.has('ref_checkpointer')
        ? run.at('ref_checkpointer', true)
        : run.byDefault(false, 'recipes/lora_dpo_*.py: the base without its adapters'),
  },
  writers: torchtuneWriters,
  datasets: datasetsBy({
    in: 'dataset',
    path: 'source',
    files: 'data_files',
    template: 'chat',
    // torchtune/modules/transforms/tokenizers: each model's prompt is code.
    ownTemplate: () => 'torchtune',
    columns: { messages: 'conversation_column', text: 'column' },
  }),
});

import type { Dialect } from './dialect';
import { count, flag, word } from './engine/readers';
import { dtypeWord } from './shared/words';
import { torchtuneHelp } from './torchtune/help';
import { torchtuneLaunch, torchtuneLogs } from './torchtune/output';
import {
  attention,
  fsdp,
  lora,
  loss,
  method,
  offload,
  parallel,
  quantization,
  task,
} from './torchtune/rules';
import { torchtuneWriters } from './torchtune/writers';
import { datasetsBy } from './shared/datasets';

/** torchtune's recipes; sources are files of pytorch/torchtune bd2a0fc (0.7.0). */
export const torchtune: Dialect = {
  id: 'torchtune',
  title: 'torchtune',
  role: 'run',
  framework: { name: 'torchtune', version: '0.7.0' },
  loader: 'omegaconf',
  signature: {
    strong: ['tokenizer._component_', 'model._component_', 'checkpointer._component_'],
    medium: [
      'optimizer._component_',
      'loss._component_',
      'metric_logger._component_',
      'checkpointer.checkpoint_files',
      'checkpointer.model_type',
      'enable_activation_checkpointing',
    ],
    weak: [
      'batch_size',
      'max_steps_per_epoch',
      'log_peak_memory_stats',
      'dtype',
      'device',
      'epochs',
      'shuffle',
    ],
    against: ['base_model', 'policy', 'actor_rollout_ref', 'step_scheduler'],
    // Configs for evaluation, generation and quantisation are of the same kind; they train nothing.
    needs: ['optimizer._component_', 'batch_size', 'max_new_tokens', 'quantizer._component_'],
    least: 6,
  },
  quantities: {
    model: { keys: ['model._component_'], read: word },
    task,
    method,
    microBatchSize: {
      keys: ['batch_size'],
      read: count,
      absent: run =>
        run.has('prompt')
          ? run.byCode(1, 'recipes/generate.py: one prompt')
          : run.unknown('batch_size is not set, and torchtune has no default for it.'),
    },
    evalBatchSize: {
      keys: ['batch_size_val'],
      read: count,
      absent: run => {
        const micro = run.get('microBatchSize');
        return run.derived(
          micro.value,
          ['microBatchSize'],
          'batch_size_val is batch_size where it is absent',
        );
      },
    },
    gradAccum: { keys: ['gradient_accumulation_steps'], read: count, near: ['batch_size', 'epochs'] },
    // The second key is of the recipe that evaluates.
    seqLen: { keys: ['tokenizer.max_seq_len', 'max_seq_length'], read: count },
    packing: {
      keys: ['dataset.packed'],
      read: flag,
      absent: run =>
        run.get('task').value === 'sft'
          ? run.byDefault(false, 'torchtune/datasets: packed is False')
          : run.unknown('Datasets of this recipe are not packed.'),
    },
    precision: { keys: ['dtype'], read: dtypeWord, near: ['device'] },
    precisionRaw: run => {
      const dtype = run.word('dtype');
      return dtype === null ? run.unknown('dtype is not set.') : run.at('dtype', `dtype: ${dtype}`);
    },
    // recipes/*.py: the model is made in this dtype, and so are its gradients and the optimizer's states.
    loadDtype: { keys: ['dtype'], read: dtypeWord },
    quantization,
    optimizer: { keys: ['optimizer._component_'], read: word },
    gradientCheckpointing: {
      keys: ['enable_activation_checkpointing'],
      read: flag,
      absent: { value: false, source: 'recipes/full_finetune_single_device.py L235: cfg.get(…, False)' },
      near: ['enable_activation_offloading', 'dtype'],
    },
    attention,
    loss,
    lora,
    zeroStage: run => run.none('torchtune has no DeepSpeed'),
    fsdp,
    offload,
    parallel,
    compile: { keys: ['compile'], read: flag, absent: { value: false, source: 'recipes/*.py: compile' } },
  },
  datasets: datasetsBy({
    in: 'dataset',
    path: 'source',
    files: 'data_files',
    template: 'chat',
    // torchtune/modules/transforms/tokenizers: each model's prompt is code.
    ownTemplate: () => 'torchtune',
    columns: { messages: 'conversation_column', text: 'column' },
  }),
  details: {
    unlimitedLength: run =>
      run.has('tokenizer.max_seq_len')
        ? run.at('tokenizer.max_seq_len', false)
        : run.byDefault(true, 'torchtune/data/_collate.py; models’ tokenizers: max_seq_len is None'),
    autocast: run => run.byCode(false, 'recipes/*.py: training.set_default_dtype, no autocast'),
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
    reentrantCheckpointing: run =>
      run.byCode(false, 'torch/distributed/algorithms/_checkpoint: checkpoint_wrapper is not reentrant'),
  },
  writers: torchtuneWriters,
  launch: torchtuneLaunch,
  logs: torchtuneLogs,
  help: torchtuneHelp,
};

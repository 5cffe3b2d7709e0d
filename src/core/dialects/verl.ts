import { builtIn } from './defined/compile';
import file from './verl.yaml';
import type { Dialect } from './dialect';
import { hydraTree } from './engine/hydra/composer';
import { attention, fsdp, loadDtype, lora, loss, method, offload, optimizer, parallel } from './verl/parts';
import {
  completionTokens,
  devices,
  effectiveBatch,
  globalBatchSize,
  gradAccum,
  isSft,
  memoryShare,
  microBatchSize,
  packing,
  referenceModel,
  seqLen,
  task,
} from './verl/rules';
import { verlWriters } from './verl/writers';
import { autocastByPrecision } from './shared/lightning';
import { datasetsBy, templateBy } from './shared/datasets';

/** verl's trainers; sources are files of volcengine/verl b178a3c (0.8.0.dev), defaults of trainer/config/_generated_ppo_trainer.yaml. */
export const verl: Dialect = builtIn(file, {
  quantities: {
    model: {
      absent: run =>
        isSft(run)
          ? run.byDefault('~/models/gemma-1.1-7b-it', 'trainer/config/sft_trainer.yaml')
          : run.byDefault('~/models/deepseek-llm-7b-chat', 'trainer/config/model/hf_model.yaml'),
    },
    task,
    method,
    microBatchSize,
    gradAccum,
    globalBatchSize,
    effectiveBatch,
    seqLen,
    packing,
    loadDtype,
    optimizer,
    attention,
    loss,
    lora,
    fsdp,
    offload,
    parallel,
    devices,
  },
  details: {
    autocast: autocastByPrecision,
    paddedRows: run =>
      run.derived(run.get('packing').value !== true, ['packing'], 'padding is removed or it is not'),
    fixedLength: run =>
      run.get('packing').value === true
        ? run.derived(false, ['packing'], 'rows without padding')
        : run.byCode(true, 'utils/dataset: prompts and responses are padded to their lengths'),
    referenceModel,
    completionTokens,
    memoryShare,
  },
  writers: verlWriters,
  datasets: datasetsBy({
    path: 'data.train_files',
    template: 'chat',
    ownTemplate: templateBy('actor_rollout_ref.model.custom_chat_template', 'model.custom_chat_template'),
    columns: { messages: 'data.messages_key', prompt: 'data.prompt_key', completion: 'data.response_key' },
  }),
  compose: hydraTree,
});

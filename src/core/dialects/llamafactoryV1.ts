import type { Dialect } from './dialect';
import { count, flag, word } from './engine/readers';
import { llamafactoryPresets } from './llamafactory/presets';
import {
  DEEPSPEED_FILE,
  fsdp,
  gradAccum,
  kernels,
  lora,
  method,
  offload,
  optimizer,
  parallel,
  precision,
  quantization,
  task,
  zeroStage,
} from './llamafactoryV1/rules';
import { llamafactoryV1Help } from './llamafactoryV1/help';
import { llamafactoryV1Launch, llamafactoryV1Logs } from './llamafactoryV1/output';
import { llamafactoryV1Signature } from './llamafactoryV1/signature';
import { llamafactoryV1Writers } from './llamafactoryV1/writers';
import { zeroBuffersOf } from './shared/sharding';
import { sequencesPerSample } from './shared/tasks';
import { rawWords } from './shared/words';

/** The v1 engine of LLaMA-Factory; sources are files of hiyouga/LLaMA-Factory ff6d4d1 below src/llamafactory. */
export const llamafactoryV1: Dialect = {
  id: 'llamafactory-v1',
  title: 'LLaMA-Factory v1',
  role: 'run',
  framework: { name: 'llamafactory', version: '0.9.6', libraries: { transformers: '5.18.0' } },
  loader: 'omegaconf',
  signature: llamafactoryV1Signature,
  quantities: {
    model: {
      keys: ['model'],
      read: word,
      absent: { value: 'Qwen/Qwen3-4B-Instruct-2507', source: 'v1/config/model_args.py L23-63' },
    },
    task,
    method,
    microBatchSize: {
      keys: ['micro_batch_size'],
      read: count,
      absent: { value: 1, source: 'v1/config/training_args.py' },
      near: ['output_dir', 'cutoff_len'],
    },
    gradAccum,
    globalBatchSize: { keys: ['global_batch_size'], read: count, near: ['micro_batch_size'] },
    seqLen: {
      keys: ['cutoff_len'],
      read: count,
      absent: { value: 2048, source: 'v1/config/training_args.py' },
      near: ['micro_batch_size'],
    },
    packing: {
      keys: ['batching_strategy'],
      read: value => (typeof value === 'string' ? { ok: value.includes('padding_free') } : null),
      absent: { value: false, source: 'v1/config/training_args.py: batching_strategy is normal' },
      write: to => (to ? 'padding_free' : 'normal'),
      near: ['micro_batch_size'],
    },
    precision,
    precisionRaw: run => {
      const words = rawWords(run, ['bf16']);
      return words === null ? run.unknown('bf16 is not set.') : run.at('bf16', words);
    },
    // v1/core/model_engine.py: dtype="auto".
    loadDtype: run => run.unknown('Weights are loaded in the dtype of the checkpoint.'),
    quantization,
    optimizer,
    gradientCheckpointing: {
      keys: ['enable_activation_checkpointing'],
      read: flag,
      absent: { value: true, source: 'v1/config/training_args.py: enable_activation_checkpointing is true' },
      near: ['micro_batch_size', 'cutoff_len'],
    },
    attention: {
      keys: ['flash_attn'],
      read: word,
      absent: { value: 'sdpa', source: 'v1/config/model_args.py: flash_attn is sdpa' },
      near: ['model_class', 'model'],
    },
    loss: run => run.byDefault('standard', 'v1/core/model_engine.py: logits are computed for the loss'),
    lora,
    zeroStage,
    fsdp,
    offload,
    parallel,
    gpus: run => run.unknown('LLaMA-Factory takes every GPU that it sees; the config does not say how many.'),
  },
  details: {
    checkpointDtype: run => run.byCode(true, 'v1/core/model_engine.py: dtype="auto"'),
    trainedDtype: run =>
      run.get('method').value === 'full' && run.get('zeroStage').value === null
        ? run.byCode('fp32', 'v1/core/model_engine.py: model.to(torch.float32)')
        : run.none('only full fine-tuning casts the model'),
    adapterDtype: run =>
      run.get('lora').value === null
        ? run.none('no adapter is trained')
        : run.byDefault('fp32', 'peft: autocast_adapter_dtype is true'),
    sequencesPerSample,
    kernels,
    zeroBuffers: zeroBuffersOf([DEEPSPEED_FILE]),
  },
  writers: llamafactoryV1Writers,
  references: [{ key: DEEPSPEED_FILE, dialect: 'deepspeed', presets: llamafactoryPresets }],
  launch: llamafactoryV1Launch,
  logs: llamafactoryV1Logs,
  help: llamafactoryV1Help,
};

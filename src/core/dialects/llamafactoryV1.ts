import { builtIn } from './defined/compile';
import file from './llamafactoryV1.yaml';
import type { Dialect } from './dialect';
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
import { llamafactoryV1Writers } from './llamafactoryV1/writers';
import { zeroBuffersOf } from './shared/sharding';
import { sequencesPerSample } from './shared/tasks';
import { rawWords } from './shared/words';

/** The v1 engine of LLaMA-Factory; sources are files of hiyouga/LLaMA-Factory ff6d4d1 below src/llamafactory. */
export const llamafactoryV1: Dialect = builtIn(file, {
  quantities: {
    task,
    method,
    gradAccum,
    packing: {
      read: value => (typeof value === 'string' ? { ok: value.includes('padding_free') } : null),
      write: to => (to ? 'padding_free' : 'normal'),
    },
    precision,
    precisionRaw: run => {
      const words = rawWords(run, ['bf16']);
      return words === null ? run.unknown('bf16 is not set.') : run.at('bf16', words);
    },
    quantization,
    optimizer,
    lora,
    zeroStage,
    fsdp,
    offload,
    parallel,
  },
  details: {
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
});

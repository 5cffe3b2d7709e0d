import { builtIn } from './defined/compile';
import file from './llamafactory.yaml';
import type { Dialect } from './dialect';
import { flag } from './engine/readers';
import type { ValueReader } from './engine/readers';
import { llamafactoryDetails } from './llamafactory/details';
import {
  gpus,
  loadDtype,
  lora,
  loss,
  method,
  offload,
  optimizer,
  packing,
  parallel,
  precision,
  quantization,
  task,
} from './llamafactory/rules';
import { seqLen } from './llamafactory/written';
import { llamafactoryWriters } from './llamafactory/writers';
import { trainingArguments } from './shared/trainingArguments';
import { rawWords } from './shared/words';
import { llamafactoryDatasets } from './llamafactory/datasets';

const RAW = ['bf16', 'pure_bf16', 'fp16', 'fp8'];

/** `disable_gradient_checkpointing` says the opposite of what is asked. */
const negated: ValueReader<boolean> = value => {
  const result = flag(value);
  return result !== null && 'ok' in result ? { ok: !result.ok } : result;
};

const KERNELS: Readonly<Record<string, string>> = {
  auto: 'sdpa',
  disabled: 'eager',
  sdpa: 'sdpa',
  fa2: 'flash_attention_2',
  fa3: 'flash_attention_3',
};

/** LLaMA-Factory's YAML; sources are files of hiyouga/LLaMA-Factory ff6d4d1 below src/llamafactory. */
export const llamafactory: Dialect = builtIn(file, {
  quantities: {
    ...trainingArguments,
    task,
    method,
    seqLen,
    packing,
    precision,
    precisionRaw: run => {
      const words = rawWords(run, RAW);
      return words === null ? run.unknown('No precision key is set.') : run.at(RAW, words);
    },
    loadDtype,
    quantization,
    optimizer,
    gradientCheckpointing: { read: negated, write: to => !to },
    attention: { write: to => Object.entries(KERNELS).findLast(([, name]) => name === to)?.[0] ?? null },
    loss,
    lora,
    offload,
    parallel,
    gpus,
  },
  details: llamafactoryDetails,
  writers: llamafactoryWriters,
  datasets: llamafactoryDatasets,
});

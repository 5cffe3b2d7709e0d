import type { Dialect } from './dialect';
import { flag, oneOf, word } from './engine/readers';
import type { ValueReader } from './engine/readers';
import { llamafactoryDetails } from './llamafactory/details';
import { llamafactoryHelp } from './llamafactory/help';
import { llamafactoryLaunch, llamafactoryLogs } from './llamafactory/output';
import { llamafactoryPresets } from './llamafactory/presets';
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
import { llamafactorySignature } from './llamafactory/signature';
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
export const llamafactory: Dialect = {
  id: 'llamafactory',
  title: 'LLaMA-Factory',
  role: 'run',
  framework: { name: 'llamafactory', version: '0.9.6', libraries: { transformers: '5.18.0' } },
  evidence: [
    {
      keys: ['evaluation_strategy'],
      upTo: { transformers: '4.45.2' },
      source: 'transformers training_args.py: eval_strategy alone since 4.46',
    },
  ],
  loader: 'omegaconf',
  signature: llamafactorySignature,
  quantities: {
    ...trainingArguments,
    model: { keys: ['model_name_or_path'], read: word },
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
    gradientCheckpointing: {
      keys: ['disable_gradient_checkpointing'],
      read: negated,
      absent: { value: true, source: 'hparams/model_args.py L145: disable_gradient_checkpointing is false' },
      write: to => !to,
      near: ['flash_attn', 'bf16'],
    },
    attention: {
      keys: ['flash_attn'],
      read: oneOf(KERNELS),
      absent: { value: 'sdpa', source: 'hparams/model_args.py: auto leaves it to transformers' },
      write: to => Object.entries(KERNELS).findLast(([, name]) => name === to)?.[0] ?? null,
      near: ['trust_remote_code', 'bf16', 'model_name_or_path'],
    },
    loss,
    lora,
    offload,
    parallel,
    gpus,
  },
  datasets: llamafactoryDatasets,
  details: llamafactoryDetails,
  writers: llamafactoryWriters,
  references: [{ key: 'deepspeed', dialect: 'deepspeed', presets: llamafactoryPresets }],
  launch: llamafactoryLaunch,
  logs: llamafactoryLogs,
  help: llamafactoryHelp,
};

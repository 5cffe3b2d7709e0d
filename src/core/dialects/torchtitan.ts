import type { Quantity } from '../spec/quantity';
import type { RunReader } from './engine/runReader';
import { ownOf } from '../yaml/tables';
import { builtIn } from './defined/compile';
import file from './torchtitan.yaml';
import type { Dialect } from './dialect';

const CONFIG = 'torchtitan/config/job_config.py';

/** Hub names of each model's flavors (models/<name>/__init__.py); debug models have none. */
const MODELS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  llama3: {
    '8B': 'meta-llama/Llama-3.1-8B',
    '70B': 'meta-llama/Llama-3.1-70B',
    '405B': 'meta-llama/Llama-3.1-405B',
  },
  llama4: {
    '17bx16e': 'meta-llama/Llama-4-Scout-17B-16E',
    '17bx128e': 'meta-llama/Llama-4-Maverick-17B-128E',
  },
  qwen3: Object.fromEntries(
    ['0.6B', '1.7B', '4B', '8B', '14B', '32B', '30B-A3B', '235B-A22B'].map(size => [
      size,
      `Qwen/Qwen3-${size}`,
    ]),
  ),
  deepseek_v3: { '16B': 'deepseek-ai/deepseek-moe-16b-base', '671B': 'deepseek-ai/DeepSeek-V3' },
  gpt_oss: { '20b': 'openai/gpt-oss-20b', '120b': 'openai/gpt-oss-120b' },
};

/** Suffixes of flavors that only differ in the attention kernel. */
const KERNEL = /_(flex|varlen|irope|flex_attn|varlen_attn)$/;

function model(run: RunReader): Quantity<string> {
  const family = run.word('model.name') ?? 'llama3';
  const flavor = run.word('model.flavor');
  if (flavor === null) return run.byDefault(`${family} debugmodel`, `${CONFIG}, Model: flavor is debugmodel`);
  const named = ownOf(ownOf(MODELS, family) ?? {}, flavor.replace(KERNEL, ''));
  return run.at('model.flavor', named ?? `${family} ${flavor}`);
}

/** torchtitan's job config; sources are files of pytorch/torchtitan 73a0e69 (0.2.2). */
export const torchtitan: Dialect = builtIn(file, { quantities: { model } });

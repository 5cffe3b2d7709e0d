import { join, resolve } from 'node:path';
import type { AnalysisOptions } from '../../../src/core/rules/analysis';
import { parseTarget } from '../../../src/core/hardware/target';
import type { World } from '../../../src/core/analyse/world';
import { Catalogs } from '../../../src/world/catalogs';
import { corePath, nodeEnvironment } from '../../../src/world/environment';
import { Models } from '../../../src/world/models';
import { NodeFiles } from '../../../src/world/nodeFiles';

/** The repository's root: bundles are in out/test/eval/bench. */
export const ROOT = resolve(__dirname, '../../../..');

/** A LoRA run as Axolotl's users write it. */
const LORA_8B = `# one GPU, alpaca-style data
base_model: NousResearch/Meta-Llama-3-8B
load_in_8bit: false
strict: false

datasets:
dataset_prepared_path: last_run_prepared
val_set_size: 0.05
output_dir: ./outputs/lora-out

sequence_len: 4096
sample_packing: true
pad_to_sequence_len: true

adapter: lora
lora_r: 32
lora_alpha: 16
lora_dropout: 0.05
lora_target_linear: true

gradient_accumulation_steps: 4
micro_batch_size: 2
num_epochs: 4
optimizer: adamw_bnb_8bit
lr_scheduler: cosine
learning_rate: 0.0002

bf16: auto
tf32: false
gradient_checkpointing: true
logging_steps: 1
attn_implementation: flash_attention_2

warmup_steps: 10
evals_per_epoch: 4
saves_per_epoch: 1
weight_decay: 0.0
special_tokens:
  pad_token: <|end_of_text|>
`;

/** The same with a long list of datasets: 300 lines, as after a year of use. */
export function longConfig(): string {
  const missing = 300 - LORA_8B.split('\n').length;
  const entries = Array.from(
    { length: Math.floor(missing / 3) },
    (_, i) =>
      `  - path: org/instructions-${i} # part ${i}\n    type: alpaca\n    split: train[${i}%:${i + 1}%]\n`,
  );
  return LORA_8B.replace(/^datasets:\n/m, head => head + entries.join(''));
}

export function shortConfig(): string {
  return LORA_8B.replace(/^datasets:\n/m, 'datasets:\n  - path: tatsu-lab/alpaca\n    type: alpaca\n');
}

const SWEPT_BATCHES = [1, 2, 4, 8];
const SWEPT_TOKENS = [1024, 2048, 4096, 8192];
const SWEPT_RANKS = [8, 16, 32, 64];

/** The n-th config of a sweep: batch, length, rank, and the learning rate, which does not affect memory. */
export function sweptConfig(n: number): string {
  const of = (values: readonly number[], at: number): number => values[at % values.length] ?? 0;
  return withValues(shortConfig(), {
    micro_batch_size: of(SWEPT_BATCHES, n),
    sequence_len: of(SWEPT_TOKENS, Math.floor(n / 4)),
    lora_r: of(SWEPT_RANKS, Math.floor(n / 16)),
    learning_rate: (1 + Math.floor(n / 64)) * 1e-5,
  });
}

/** The n-th config of a series in which no two need the same memory. */
export function distinctConfig(n: number): string {
  return withValues(shortConfig(), {
    micro_batch_size: 1 + (n % 8),
    sequence_len: 512 + 8 * Math.floor(n / 8),
  });
}

export function withValues(
  config: string,
  values: Readonly<Record<string, string | number | boolean>>,
): string {
  return Object.entries(values).reduce(
    (text, [key, value]) => text.replace(new RegExp(`^${key}: .*$`, 'm'), `${key}: ${value}`),
    config,
  );
}

/** 20,000 lines of a Kubernetes-like list: YAML without any relation to GPUs. */
export function stranger(): string {
  const item = (i: number): string =>
    `  - apiVersion: v1\n    kind: ConfigMap\n    metadata:\n      name: settings-${i}\n      labels: {app: web, tier: "${i % 7}"}\n    data:\n      workers: "${i % 16}"\n      url: http://service-${i}.internal:8080/path\n`;
  return `apiVersion: v1\nkind: List\nitems:\n${Array.from({ length: 2500 }, (_, i) => item(i)).join('')}`;
}

export const NEVER = { aborted: false };

/** Shared by all benchmarks: an RTX 4090 from the catalog. */
export async function surroundings(): Promise<{ readonly world: World; readonly options: AnalysisOptions }> {
  const environment = nodeEnvironment();
  const files = new NodeFiles(environment.workingFolder);
  const catalogs = new Catalogs(corePath(join(ROOT, 'dist/data')));
  const reading = parseTarget('RTX 4090', await catalogs.gpus(), { count: null, nodes: 1 });
  if (!reading.ok) throw new Error(reading.why);
  const gpus = await catalogs.gpus();
  const gpuNamed = (name: string) => {
    const found = parseTarget(name, gpus, { count: null, nodes: 1 });
    return Promise.resolve(found.ok ? found.target : null);
  };
  const world = { files, models: new Models(files, catalogs, environment), gpuNamed };
  return { world, options: { target: reading.target, severities: {} } };
}

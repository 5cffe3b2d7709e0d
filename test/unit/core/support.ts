import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Analysis, RunAnalysis } from '../../../src/core/rules/analysis';
import { analyze } from '../../../src/core/analyse/analyse';
import type { CatalogData } from '../../../src/core/data/rows';
import { GpuCatalog } from '../../../src/core/hardware/catalog';
import type { Target } from '../../../src/core/hardware/gpu';
import { parseTarget } from '../../../src/core/hardware/target';
import { ModelCatalog, modelFromCatalog } from '../../../src/core/models/catalog';
import type { RemedyContext } from '../../../src/core/plan/remedy';
import type { World } from '../../../src/core/analyse/world';
import { assertBrief } from '../brief';
import { running, worldOf } from '../dialects/support';
import { english } from '../../../src/core/text/say';

const data = (name: string): CatalogData =>
  JSON.parse(readFileSync(`src/core/data/${name}.json`, 'utf8')) as CatalogData;
const models = new ModelCatalog(data('models'));
export const theGpus = new GpuCatalog(data('gpus'));

/** A world of a few files, with the project's own catalogs. */
export function worldWithModels(files: Readonly<Record<string, string>>): World {
  const find: World['models']['find'] = name => {
    const model = modelFromCatalog(models, name);
    return Promise.resolve({ model, why: model ? null : 'There is none here.', dependencies: [] });
  };
  return { ...worldOf(files), models: { find } };
}

export function target(name: string, count: number | null = null): Target {
  const reading = parseTarget(name, theGpus, { count, nodes: 1 });
  assert.ok(reading.ok);
  return reading.target;
}

/** Analyses of this process by input. Most suites ask for the same few configs. */
const analyses = new Map<string, Promise<Analysis>>();
const MOST_ANALYSES = 30;

/** Judges the first of the files against a GPU (by name) or none. Tests share the analysis of the same input. */
export function judge(
  files: Readonly<Record<string, string>>,
  gpu: string | null = 'RTX 4090',
): Promise<Analysis> {
  const key = JSON.stringify([Object.entries(files), gpu]);
  const before = analyses.get(key);
  if (before) return before;
  const analysis = judgeAnew(files, gpu);
  analyses.set(key, analysis);
  const [oldest] = analyses.keys();
  if (analyses.size > MOST_ANALYSES && oldest !== undefined) analyses.delete(oldest);
  return analysis;
}

async function judgeAnew(files: Readonly<Record<string, string>>, gpu: string | null): Promise<Analysis> {
  const [[file, text] = ['', '']] = Object.entries(files);
  const options = { target: gpu === null ? null : target(gpu), severities: {} };
  const analysis = await analyze(file, text, worldWithModels(files), options, running);
  const found = [analysis, ...analysis.runs].flatMap(({ findings }) => findings);
  found.forEach(({ message }) => assertBrief(message));
  return analysis;
}

/** The only run of a text. */
export async function judged(text: string, gpu: string | null = 'RTX 4090'): Promise<RunAnalysis> {
  const { runs } = await judge({ 'config.yaml': text }, gpu);
  assert.equal(runs.length, 1);
  return runs[0]!;
}

export function contextOf(run: RunAnalysis, gpu = 'RTX 4090'): RemedyContext {
  const { model, estimate } = run;
  return { run: run.run, model, target: target(gpu), estimate, samplesPerGpu: null, say: english };
}

/** A LoRA run on an 8B model as Axolotl's users write it, with some changed lines. */
export function axolotl(changes: Readonly<Record<string, string | number | boolean>> = {}): string {
  const keys = {
    base_model: 'NousResearch/Meta-Llama-3-8B',
    sequence_len: 4096,
    sample_packing: true,
    adapter: 'lora',
    lora_r: 32,
    lora_alpha: 16,
    lora_target_linear: true,
    micro_batch_size: 8,
    gradient_accumulation_steps: 4,
    optimizer: 'adamw_torch_fused',
    learning_rate: '0.0002',
    bf16: 'auto',
    gradient_checkpointing: true,
    attn_implementation: 'flash_attention_2',
    ...changes,
  };
  return Object.entries(keys)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('');
}

import type { Target } from '../../hardware/gpu';
import { profileOf } from '../frameworks/profileOf';
import type { Asker } from './asker';
import { isPolicy } from './policy';
import { isPreference } from './preference';
import { isInference } from './task';

/** Tasks whose step is one forward and backward pass over sequences with a next-token loss, or what comes near it. */
const CAUSAL_TASKS = new Set([
  'sft',
  'pretrain',
  'lm_pretrain',
  'cpt',
  'lm',
  'clm',
  'infer',
  'embed',
  'load',
]);
const OTHER_TASKS = new Set([
  'reward',
  'prm',
  'embedding',
  'contrastive',
  'contrastive_embedding',
  'mlm',
  'seq2seq',
  'sequence_classification',
  'token_classification',
  'image_classification',
  'object_detection',
  'segmentation',
  'semantic_segmentation',
  'pose',
  'asr',
  'denoising',
]);

/** Notes what the tape does not model yet, fact by fact: better no number than a wrong one. */
export function checkScope(asker: Asker): void {
  const { name } = asker.run.framework;
  const { models, sharding, distills } = profileOf(asker.run.framework);
  if (models === 'not modeled' && !isInference(asker)) asker.lack(`the memory of ${name}'s own model code`);
  if (asker.detail('distributedOptimizer') !== null && sharding !== 'megatron') {
    asker.lack(`the memory of Megatron's code below ${name}`);
  }
  const task = asker.value('task');
  if (task === null) asker.lack('the task');
  else if (!isModelled(task, distills)) asker.lack(`how much memory ${task} takes beside the model`);
  const method = asker.value('method');
  if (method === 'prompt' && asker.value('lora') === null) asker.lack('the memory of prompt tuning');
  checkSharding(asker);
  // What only merges may do so on the CPU, beside a GPU that then holds nothing.
  const onCpu = asker.value('accelerator') === 'cpu' || asker.value('devices') === 0;
  if (onCpu && task !== 'load') asker.lack('a GPU: the run is on the CPU');
  checkOffload(asker);
}

function isModelled(task: string, distills: boolean): boolean {
  if (task === 'gkd') return distills;
  return CAUSAL_TASKS.has(task) || isPreference(task) || isPolicy(task) || OTHER_TASKS.has(task);
}

function checkSharding(asker: Asker): void {
  if (asker.unknown('zeroStage')) asker.lack('the ZeRO stage');
  if (asker.unknown('fsdp')) asker.lack('how FSDP shards');
}

/** Devices that an inference's layers, or slices of each, are spread over. */
export function spreadOf(asker: Asker): number {
  const parallel = asker.value('parallel');
  const devices = isInference(asker) && parallel !== null ? parallel.tensor * parallel.pipeline : 1;
  return devices > 1 ? asker.assume(devices, `the model is spread evenly over ${devices} GPUs`) : devices;
}

function checkOffload(asker: Asker): void {
  const offload = asker.value('offload');
  if (offload === null) return;
  const shards = asker.value('fsdp') !== null || (asker.value('zeroStage') ?? 0) > 0;
  for (const part of ['param', 'optimizer', 'activations'] as const) {
    if (shards && part !== 'activations') continue;
    if (part === 'activations' && asker.value('gradientCheckpointing') === true) continue;
    const place = offload[part];
    if (place !== null && place !== undefined && place !== 'none') {
      asker.lack(`memory with ${part} offloaded`);
    }
  }
}

/** GPUs that each hold the whole model: what the config says, else what the target says, else one. */
export function replicasOf(asker: Asker, target: Target | null): number {
  if (isInference(asker) || asker.detail('deviceMap') !== null) return 1;
  const stated = asker.value('gpus');
  if (stated !== null) return stated;
  if (target?.count !== null && target !== null) return target.count;
  return asker.assume(1, 'one GPU: the config does not say how many');
}

import { known, NONE } from '../../spec/maybe';
import type { Maybe } from '../../spec/maybe';
import type { ModelFacts, ModelKind } from '../../models/model';
import type { Head } from '../../spec/values';
import type { Architecture } from '../architecture';
import { optimizerCodeOf } from '../frameworks/behavior/torchCode';
import { steppedInBackward } from '../optimizer';
import type { Optimizer } from '../optimizer';
import { optimizers } from '../optimizers/registry';
import type { MemoryRun } from '../run';
import { profileOf } from '../frameworks/profileOf';
import type { RunQuestions } from './questions';
import type { Target } from '../../hardware/gpu';
import { attentionOf } from './attentionCopies';
import { phrase } from '../../text/say';

/** Tasks that train on the model's own completions, using their log-probabilities. */
export const POLICY_TASKS: ReadonlySet<string> = new Set(['grpo', 'rloo', 'ppo']);

export const isPolicy = (task: string | null): boolean => task !== null && POLICY_TASKS.has(task);

/** Tasks with a loss on log-probabilities of whole sequences: two per sample, or one (KTO). */
const PREFERENCE_TASKS: ReadonlySet<string> = new Set([
  'dpo',
  'ipo',
  'orpo',
  'simpo',
  'cpo',
  'apo',
  'gdpo',
  'kto',
  'online_dpo',
]);

export function isPreference(task: string | null): boolean {
  return task !== null && PREFERENCE_TASKS.has(task);
}

/** Tasks whose loss compares text embeddings. */
const CONTRASTIVE_TASKS: ReadonlySet<string> = new Set(['embedding', 'contrastive', 'contrastive_embedding']);

export const comparesEmbeddings = (task: string | null): boolean =>
  task !== null && CONTRASTIVE_TASKS.has(task);

/** True for a speech model with a decoder, which generates text; others label each frame. */
export const writes = (extra: ModelFacts['extra']): boolean => 'num_decoder_layers' in extra;

/** The model's head: from the dialect, else from the task. */
export function headOf(questions: RunQuestions, { kind, extra }: ModelFacts): Head {
  const bare = kind === 'encoder' && isInference(questions) ? 'base' : 'causal-lm';
  const spoken = writes(extra) ? 'seq2seq' : 'ctc';
  const usual = kind === 'speech' ? spoken : kind === 'diffusion' ? 'denoiser' : (USUAL[kind] ?? bare);
  const head = questions.detail('head') ?? HEADS[questions.value('task') ?? ''] ?? usual;
  return head === 'ctc' ? spoken : head;
}

const USUAL: Readonly<Partial<Record<ModelKind, Head>>> = {
  'encoder-decoder': 'seq2seq',
  vision: 'image-classification',
};

/** Tasks without a loss: generating or classifying text, embedding it, and only loading the model. */
const INFERENCE: ReadonlySet<string> = new Set(['infer', 'embed', 'load']);

export function isInference(questions: RunQuestions): boolean {
  return INFERENCE.has(questions.value('task') ?? '');
}

/** The task of the tape. */
export function kindOf(questions: RunQuestions): MemoryRun['task'] {
  const task = questions.value('task');
  return task === 'load' ? 'load' : isInference(questions) ? 'infer' : 'train';
}

const HEADS: Readonly<Record<string, Head>> = {
  reward: 'sequence-classification',
  prm: 'token-classification',
  sequence_classification: 'sequence-classification',
  token_classification: 'token-classification',
  image_classification: 'image-classification',
  object_detection: 'detector',
  segmentation: 'segmenter',
  semantic_segmentation: 'segmenter',
  pose: 'detector',
  asr: 'ctc',
  denoising: 'denoiser',
  mlm: 'masked-lm',
  seq2seq: 'seq2seq',
  embedding: 'base',
  contrastive: 'base',
  contrastive_embedding: 'base',
  embed: 'base',
};

/** Tasks whose loss compares the model with its reference. */
const REFERENCED: ReadonlySet<string> = new Set(['dpo', 'ipo', 'gdpo', 'kto', 'online_dpo', 'ppo']);

/** Without a frozen copy, the base without its adapters is the reference. */
export function referenceOf(questions: RunQuestions): MemoryRun['training']['reference'] {
  if (questions.detail('referenceModel') === true) return 'copy';
  return questions.value('lora') !== null && REFERENCED.has(questions.value('task') ?? '')
    ? 'itself'
    : 'none';
}

/** The run's optimizer; notes unknown ones as missing. */
export function optimizerOf(
  questions: RunQuestions,
  { release }: Pick<Architecture, 'release'>,
): Maybe<Optimizer> {
  if (isInference(questions)) return NONE;
  const name = questions.value('optimizer') ?? usualOptimizer(questions);
  if (name === 'none') return NONE;
  const { framework } = questions.run;
  const chosen = profileOf(framework).optimizer(name.toLowerCase(), framework);
  if (chosen.assumed !== undefined) questions.assume(null, chosen.assumed);
  const code = bare(optimizerCodeOf(framework, chosen.name, release));
  const fused = questions.detail('fusedOptimizer') === true ? named(`${code}fused`) : undefined;
  const optimizer = fused ?? named(code);
  if (!optimizer) return questions.notKnown(`the states of the optimizer ${name}`);
  return known(questions.detail('optimizerInBackward') === true ? steppedInBackward(optimizer) : optimizer);
}

/**
 * AdamW with states in fp32, of which no usual optimizer has more; with adapters it hardly matters.
 */
function usualOptimizer(questions: RunQuestions): string {
  const says = phrase`AdamW: which optimizer it has is not known`;
  const isSmall = questions.value('lora') !== null;
  return isSmall ? questions.assume('adamw_torch', says) : questions.guess('adamw_torch', says, 'optimizer');
}

const named = (wanted: string): Optimizer | undefined =>
  optimizers.find(({ names }) => names.some(name => bare(name) === wanted));

/**
 * Normalizes names: frameworks name optimizers (`paged_adamw_8bit`) or their classes
 * (`bitsandbytes.optim.PagedAdamW8bit`).
 */
const bare = (name: string): string => (name.split('.').at(-1) ?? '').toLowerCase().replaceAll(/[_-]/g, '');

/** True if pairs of sequences are compared by log-probabilities. */
export function comparesPairs(questions: RunQuestions): boolean {
  if (!isPreference(questions.value('task'))) return false;
  return questions.assume(true, 'what a preference loss does with log-probabilities takes next to nothing');
}

/** Tasks with one forward and backward pass per step and a next-token loss, or similar. */
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

/** Notes unsupported features as missing: better no number than a wrong one. */
export function checkScope(questions: RunQuestions): void {
  const { name } = questions.run.framework;
  const { models, sharding, distills } = profileOf(questions.run.framework);
  if (models === 'not modeled' && !isInference(questions)) {
    questions.guess(null, `${name}'s own model code keeps what that of transformers keeps`);
  }
  // Image networks have none; Megatron's recipes decide about it by GPU and precision.
  if (models === 'megatron' && !isInference(questions) && questions.unknown('gradientCheckpointing')) {
    questions.guess(null, 'no gradient checkpointing: what decides about it is not known');
  }
  if (questions.detail('distributedOptimizer') !== null && sharding !== 'megatron') {
    questions.lack(`the memory of Megatron's code below ${name}`);
  }
  const task = questions.value('task');
  if (task === null) questions.lack('the task', { what: 'task' });
  else if (!isModeled(task, distills)) {
    questions.lack(`how much memory ${task} takes on top of the model`, {
      what: 'memory of the task',
      name: task,
    });
  }
  const method = questions.value('method');
  if (method === 'prompt' && questions.value('lora') === null) questions.lack('the memory of prompt tuning');
  checkTrained(questions);
  checkSharding(questions);
  checkOffload(questions);
}

/** A key that leaves open what is trained: adapters take a fraction of what a whole model does. */
function checkTrained(questions: RunQuestions): void {
  const { origin } = questions.run.quantities.method;
  if (isInference(questions) || origin.kind !== 'unresolved' || origin.key === undefined) return;
  questions.lack(`what is trained, which ${origin.key.path} leaves open`);
}

/** True for a task whose step is modeled. */
export function isModeled(task: string, distills: boolean): boolean {
  if (task === 'gkd') return distills;
  return CAUSAL_TASKS.has(task) || isPreference(task) || isPolicy(task) || OTHER_TASKS.has(task);
}

/**
 * On several GPUs, sharding divides by their number what a guess may be off by twice. A config that names neither GPUs nor
 * sharding is taken for a run on one GPU.
 */
function checkSharding(questions: RunQuestions): void {
  // Programs that shard on every GPU but a single one need no settings.
  const shardsAlways = profileOf(questions.run.framework).sharding === 'always';
  const [zero, fsdp] = [questions.unknown('zeroStage'), questions.unknown('fsdp') && !shardsAlways];
  const gpus = questions.value('gpus') ?? (namesSharding(questions) || spreads(questions) ? null : 1);
  if (gpus === 1 && (zero || fsdp)) {
    questions.guess(null, 'no sharding: how DeepSpeed or FSDP shard is not known');
    return;
  }
  if (zero) questions.lack('the ZeRO stage');
  if (fsdp) questions.lack('how FSDP shards');
}

/** The model is split over GPUs, however many there are. */
function spreads(questions: RunQuestions): boolean {
  const parallel = questions.value('parallel');
  return parallel !== null && parallel.tensor * parallel.pipeline > 1;
}

/** A key or a missing file decides how the run shards. */
const namesSharding = ({ run: { quantities, missingFiles } }: RunQuestions): boolean =>
  missingFiles.length > 0 ||
  [quantities.zeroStage, quantities.fsdp].some(
    ({ origin }) => origin.kind === 'unresolved' && origin.key !== undefined,
  );

/** Number of devices for an inference's layers, or for slices of each layer. */
export function spreadOf(questions: RunQuestions): number {
  const parallel = questions.value('parallel');
  if (!isInference(questions) || parallel === null) return 1;
  const { copies, ranks } = attentionOf(parallel);
  const devices = ranks * parallel.pipeline;
  if (copies > 1) {
    return questions.assume(devices, `requests and tokens are those of one of ${copies} copies of attention`);
  }
  return devices > 1 ? questions.assume(devices, `the model is spread evenly over ${devices} GPUs`) : devices;
}

function checkOffload(questions: RunQuestions): void {
  const offload = questions.value('offload');
  if (offload === null) return;
  const shards = questions.value('fsdp') !== null || (questions.value('zeroStage') ?? 0) > 0;
  const isMegatron = profileOf(questions.run.framework).sharding === 'megatron';
  for (const part of ['param', 'optimizer', 'activations'] as const) {
    if (shards && part !== 'activations') continue;
    // core/optimizer/cpu_offloading/hybrid_optimizer.py: masters and states are on the host.
    if (isMegatron && part === 'optimizer') continue;
    // Megatron offloads the inputs of chosen modules, not those of whole layers.
    if (part === 'activations' && !isMegatron && questions.value('gradientCheckpointing') === true) continue;
    const place = offload[part];
    if (place !== null && place !== undefined && place !== 'none') {
      questions.lack(`memory with ${part} offloaded`);
    }
  }
}

/** GPUs that each hold the whole model: from the config, else from the target, else one. */
export function replicasOf(questions: RunQuestions, target: Target | null): number {
  if (isInference(questions) || questions.detail('deviceMap') !== null) return 1;
  const stated = questions.value('gpus');
  // Without a GPU, one process computes everything.
  if (stated !== null) return Math.max(1, stated);
  if (target?.count !== null && target !== null) return target.count;
  return questions.assume(1, 'one GPU: the config does not say how many');
}

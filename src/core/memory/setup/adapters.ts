import type { ModelFacts } from '../../models/model';
import { known, NONE, UNKNOWN, valueOrNull } from '../../spec/maybe';
import type { Maybe, None, Unknown } from '../../spec/maybe';
import type { LoraSettings } from '../../spec/values';
import type { AdapterMethod } from '../adapterMethod';
import type { Behavior } from '../frameworks/behavior/behavior';
import { profileOf } from '../frameworks/profileOf';
import { adapterMethods } from '../methods/registry';
import type { LoraPlan } from '../adapterMethod';
import type { MemoryRun } from '../run';
import type { Element } from '../tensor';
import type { RunQuestions } from './questions';
import { isInference, isPreference } from './task';
import type { Dtypes } from '../run';

/** The adapters; notes unknown settings as missing. */
export function loraOf(
  questions: RunQuestions,
  model: ModelFacts,
  behavior: Behavior,
  numbers: Dtypes | null,
): Maybe<LoraPlan> {
  const settings = questions.value('lora') ?? usualSettings(questions);
  if (settings === null) return withoutSettings(questions);
  const other = methodOf(questions, settings);
  if (other.kind === 'unknown') return UNKNOWN;
  const method = valueOrNull(other);
  const r = settings.r ?? (method && !method.ranked ? 0 : usualRank(questions));
  const targets = targetsOf(settings, method, model, behavior) ?? usualTargets(questions, settings, model);
  const targeted = targetedIn(questions, settings, { targets, r }, { model, behavior });
  if (targeted === null) return UNKNOWN;
  const modulesToSave = settings.modulesToSave.map(name => COMMON_NAMES[name] ?? name);
  const dtype = adapterDtype(questions, behavior, numbers);
  const { factors } = settings;
  const dropout = silencesDropout(questions) ? 0 : (settings.dropout ?? 0);
  const plan = { r, dropout, ...targeted, modulesToSave, dtype, method, factors };
  return known({ ...plan, virtualTokens: virtualTokensOf(plan) });
}

/** A config that requests adapters without settings, or trains an unknown part of quantized weights. */
function withoutSettings(questions: RunQuestions): None | Unknown {
  const method = questions.value('method');
  const isFrozen = questions.value('quantization')?.method === 'bnb' && !isInference(questions);
  if (method === null && isFrozen) {
    return questions.notKnown('which adapters are trained', { what: 'adapters' });
  }
  return NONE;
}

/** A config that trains adapters, and leaves their settings to its program. */
function usualSettings(questions: RunQuestions): LoraSettings | null {
  const method = questions.value('method');
  if (isInference(questions) || (method !== 'lora' && method !== 'qlora')) return null;
  return {
    ...{ r: null, alpha: null, dropout: null, modulesToSave: [], rslora: false, dora: false },
    targets: 'all-linear',
  };
}

/** The program names modules, and PEFT would have no default for the family. */
const usualTargets = (
  questions: RunQuestions,
  { targets }: LoraSettings,
  { modelType }: ModelFacts,
): 'all-linear' =>
  questions.guess(
    'all-linear',
    targets === 'unknown'
      ? 'adapters on all linear layers: only the program names them'
      : `adapters on all linear layers: PEFT has no default for ${modelType}`,
    'rank',
  );

const USUAL_RANK = 16;

/** How many numbers adapters have matters little next to the model; what is kept for them does not depend on it. */
const usualRank = (questions: RunQuestions): number =>
  questions.guess(USUAL_RANK, `adapters of rank ${USUAL_RANK}: their rank is not known`, 'rank');

/** Preference trainers disable all dropout by default, including that of adapters. */
const silencesDropout = ({ run }: RunQuestions): boolean =>
  profileOf(run.framework).silencesDropout && isPreference(run.quantities.task.value);

/** The number of trained keys and values before those of a row. */
export const prefixOf = (plan: LoraPlan | null): number => (plan?.method?.prefixes ? plan.r : 0);

const virtualTokensOf = ({ r, method }: Pick<LoraPlan, 'r' | 'method'>): number =>
  method?.virtualTokens?.({ r }) ?? 0;

/** An optimizer that freezes LoRA's first matrix. */
const LORA_FA = 'lora-fa';

/** The method that replaces LoRA's matrices; none for LoRA itself. */
function methodOf(questions: RunQuestions, { method, dora }: LoraSettings): Maybe<AdapterMethod> {
  const name = method ?? (questions.value('optimizer') === LORA_FA ? LORA_FA : dora ? 'dora' : 'lora');
  if (name === 'lora') return NONE;
  const found = adapterMethods.find(({ names }) => names.includes(name));
  return found ? known(found) : questions.notKnown(`the memory of ${name.toUpperCase()}`);
}

/** The method's own targets, else the config's, else the family's; null: unknown. */
function targetsOf(
  settings: LoraSettings,
  method: AdapterMethod | null,
  model: ModelFacts,
  { fusesQueryKeyValue, denoiserTargets }: Behavior,
): LoraPlan['targets'] | null {
  if (method?.targets !== undefined) return method.targets === 'none' ? [] : 'all-linear';
  if (settings.targets === 'unknown') return null;
  const targets = settings.targets ?? DEFAULT_TARGETS[model.modelType] ?? denoiserTargets;
  if (targets === null || targets === 'all-linear' || !fusesQueryKeyValue) return targets;
  return targets.some(name => SEPARATE.has(name)) ? [...targets, ...FUSED] : targets;
}

const SEPARATE = new Set(['q_proj', 'k_proj', 'v_proj']);
const FUSED = ['query_key_value', 'qkv_proj', 'c_attn'];

/** Family names of the word table and the head, with the tape's names. */
const COMMON_NAMES: Readonly<Record<string, string>> = {
  wte: 'embed_tokens',
  embed_in: 'embed_tokens',
  word_embeddings: 'embed_tokens',
  tok_embeddings: 'embed_tokens',
  embed_out: 'lm_head',
  output: 'lm_head',
  output_layer: 'lm_head',
};

/**
 * PEFT upcasts adapters on a 16-bit base to fp32 (autocast_adapter_dtype, true by default), and always on 8- and
 * 4-bit bases.
 */
function adapterDtype(questions: RunQuestions, behavior: Behavior, numbers: Dtypes | null): Element {
  const stated = questions.detail('adapterDtype');
  if (stated === 'bf16' || stated === 'fp16' || stated === 'fp32') return stated;
  const base = numbers?.weightDtype ?? 'fp32';
  if (base === 'fp32') return base;
  const { widensAdapters: widens } = behavior;
  if (widens === 'never' || (widens === 'quantized' && numbers?.quantization === null)) return base;
  return questions.assume('fp32', 'adapters are held in fp32, as PEFT does by default');
}

const QUERY_VALUE = ['q_proj', 'v_proj'];
const QUERY_KEY_VALUE = ['query_key_value'];
const ENCODER = ['query', 'value'];

/**
 * LoRA's default targets by model type (peft 0.21.2, utils/constants.py,
 * TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING).
 */
const DEFAULT_TARGETS: Readonly<Record<string, readonly string[]>> = {
  t5: ['q', 'v'],
  mt5: ['q', 'v'],
  bart: QUERY_VALUE,
  gpt2: ['c_attn'],
  gpt_bigcode: ['c_attn'],
  bloom: QUERY_KEY_VALUE,
  gpt_neox: QUERY_KEY_VALUE,
  chatglm: QUERY_KEY_VALUE,
  falcon: QUERY_KEY_VALUE,
  opt: QUERY_VALUE,
  gptj: QUERY_VALUE,
  gpt_neo: QUERY_VALUE,
  bert: ENCODER,
  roberta: ENCODER,
  'xlm-roberta': ENCODER,
  electra: ENCODER,
  layoutlm: ENCODER,
  'deberta-v2': ['query_proj', 'value_proj'],
  deberta: ['in_proj'],
  mpt: ['Wqkv'],
  codegen: ['qkv_proj'],
  phi: ['q_proj', 'v_proj', 'fc1', 'fc2'],
  nemotron_h: ['q_proj', 'k_proj', 'v_proj', 'o_proj'],
  llama: QUERY_VALUE,
  llama4: QUERY_VALUE,
  mistral: QUERY_VALUE,
  mixtral: QUERY_VALUE,
  stablelm: QUERY_VALUE,
  gemma: QUERY_VALUE,
  gemma2: QUERY_VALUE,
  gemma3_text: QUERY_VALUE,
  gemma4: QUERY_VALUE,
  qwen2: QUERY_VALUE,
  qwen3: QUERY_VALUE,
};

type Targets = LoraPlan['targets'];

/** Modules with adapters: linear layers, and stacked expert matrices. */
interface Targeted {
  readonly targets: Targets;
  readonly experts: NonNullable<LoraPlan['experts']> | null;
}

/**
 * Families whose experts PEFT knows by their former names as linear layers (transformers 5.23,
 * conversion_mapping.py, _MODEL_TO_CONVERSION_PATTERN; peft 0.21, utils/transformers_weight_conversion.py,
 * _MOE_TARGET_MODULE_MAPPING).
 */
const MIXTRAL = { gate: 'w1', up: 'w3', down: 'w2' };
const QWEN2_MOE = { gate: 'gate_proj', up: 'up_proj', down: 'down_proj' };
const CONVERTED: Readonly<Record<string, typeof MIXTRAL>> = {
  mixtral: MIXTRAL,
  minimax: MIXTRAL,
  minimax_m2: MIXTRAL,
  ...Object.fromEntries(
    [
      ...['qwen2_moe', 'qwen3_moe', 'qwen3_next', 'deepseek_v2', 'deepseek_v3', 'deepseek_v32', 'dots1'],
      ...['ernie4_5_moe', 'glm4_moe', 'glm4_moe_lite', 'longcat_flash', 'hunyuan_v1_moe', 'flex_olmo'],
      ...['olmoe', 'exaone_moe', 'cohere2_moe', 'afmoe'],
    ].map(type => [type, QWEN2_MOE]),
  ),
};

/** Names of stacked matrices. */
const STACKED = /(?:^|\.)(gate_up_proj|gate_proj|up_proj|down_proj)$/;

/** A layer number before its experts: `22._checkpoint_wrapped_module.mlp.experts.gate_up_proj`. */
const OF_ONE_LAYER = /^\d+\./;

/** Adapters on stacked experts, as in PEFT; null: unknown, and noted as missing. */
export function targetedIn(
  questions: RunQuestions,
  { targetParameters = [] }: LoraSettings,
  { targets, r }: { readonly targets: Targets; readonly r: number },
  { model, behavior }: { readonly model: ModelFacts; readonly behavior: Behavior },
): Targeted | null {
  // In former code they were linear layers.
  if (model.experts === 0 || behavior.formerCode) return { targets, experts: null };
  // Megatron's experts are layers with names.
  if (profileOf(questions.run.framework).models === 'megatron') return { targets, experts: null };
  if (targetParameters.some(name => OF_ONE_LAYER.test(name))) {
    return questions.lack('how many layers have adapters on their experts');
  }
  const named = targetParameters.flatMap(name => STACKED.exec(name)?.[1] ?? []);
  if (named.length > 0) {
    const [up, down] = [named.some(name => name !== 'down_proj'), named.includes('down_proj')];
    return { targets, experts: { gateUp: up ? r : 0, down: down ? r : 0 } };
  }
  const names = CONVERTED[model.modelType];
  if (targets === 'all-linear' && (!names || behavior.namesLinearLayers)) {
    return questions.assume(
      { targets, experts: null },
      'experts get no adapters: their matrices are stacked, and no linear layers',
    );
  }
  return names ? converted(questions, targets, r, names) : { targets, experts: null };
}

/** `_convert_peft_config_moe`: the parts of experts become targets, with the combined rank if two were merged. */
function converted(
  questions: RunQuestions,
  targets: Targets,
  r: number,
  { gate, up, down }: typeof MIXTRAL,
): Targeted | null {
  const all = targets === 'all-linear';
  const has = (name: string): boolean =>
    targets === 'all-linear' || targets.some(target => target === name || target.endsWith(`.${name}`));
  if (has(gate) !== has(up)) return questions.lack(`LoRA on ${gate} and ${up} together: they are one matrix`);
  if (!has(gate) && !has(down)) return { targets, experts: null };
  const gone = new Set([gate, up, down, 'gate']);
  const left = all
    ? [`(?!(?:${[...gone].join('|')})$)[a-zA-Z_0-9]+`]
    : targets.filter(target => !gone.has(target.split('.').at(-1) ?? target));
  return { targets: left, experts: { gateUp: has(gate) ? 2 * r : 0, down: has(down) ? r : 0 } };
}

/** Where adapters are merged; a run that only merges on the host needs no GPU. */
export function mergesOf(questions: RunQuestions): NonNullable<MemoryRun['training']['merges']> | null {
  const where = questions.detail('merges');
  if (where === 'cpu' && questions.value('task') === 'load') {
    questions.assume(null, 'adapters are merged on the host, and the GPU is not used');
  }
  return where;
}

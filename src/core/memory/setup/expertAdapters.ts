import type { ModelFacts } from '../../models/model';
import type { LoraSettings } from '../../spec/values';
import type { Behavior } from '../frameworks/behavior/behavior';
import type { LoraPlan } from '../run';
import type { Asker } from './asker';

type Targets = LoraPlan['targets'];

/** What gets adapters: linear layers, and the stacked matrices of experts. */
export interface Targeted {
  readonly targets: Targets;
  readonly experts: NonNullable<LoraPlan['experts']> | null;
}

/**
 * Families whose experts PEFT knows by the names they had as linear layers (transformers 5.23, conversion_mapping.py,
 * _MODEL_TO_CONVERSION_PATTERN; peft 0.21, utils/transformers_weight_conversion.py, _MOE_TARGET_MODULE_MAPPING).
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

/** How matrices are called where they are stacked. */
const STACKED = /(?:^|\.)(gate_up_proj|gate_proj|up_proj|down_proj)$/;

/** A layer's number before its experts: `22._checkpoint_wrapped_module.mlp.experts.gate_up_proj`. */
const OF_ONE_LAYER = /^\d+\./;

/** Adapters on stacked experts, in the manner of PEFT; null: what they are is missing, and noted. */
export function targetedIn(
  asker: Asker,
  { targetParameters = [] }: LoraSettings,
  { targets, r }: { readonly targets: Targets; readonly r: number },
  { model, behavior }: { readonly model: ModelFacts; readonly behavior: Behavior },
): Targeted | null {
  // Once they were linear layers like others.
  if (model.experts === 0 || behavior.formerCode) return { targets, experts: null };
  if (targetParameters.some(name => OF_ONE_LAYER.test(name))) {
    return asker.lack('how many layers have adapters on their experts');
  }
  const named = targetParameters.flatMap(name => STACKED.exec(name)?.[1] ?? []);
  if (named.length > 0) {
    const [up, down] = [named.some(name => name !== 'down_proj'), named.includes('down_proj')];
    return { targets, experts: { gateUp: up ? r : 0, down: down ? r : 0 } };
  }
  const names = CONVERTED[model.modelType];
  if (targets === 'all-linear' && (!names || behavior.namesLinearLayers)) {
    return asker.assume(
      { targets, experts: null },
      'experts get no adapters: their matrices are stacked, and no linear layers',
    );
  }
  return names ? converted(asker, targets, r, names) : { targets, experts: null };
}

/** `_convert_peft_config_moe`: what experts are made of becomes a target, with the rank of both where two became one. */
function converted(
  asker: Asker,
  targets: Targets,
  r: number,
  { gate, up, down }: typeof MIXTRAL,
): Targeted | null {
  const all = targets === 'all-linear';
  const has = (name: string): boolean =>
    targets === 'all-linear' || targets.some(target => target === name || target.endsWith(`.${name}`));
  if (has(gate) !== has(up)) return asker.lack(`LoRA on ${gate} and ${up} together: they are one matrix`);
  if (!has(gate) && !has(down)) return { targets, experts: null };
  const gone = new Set([gate, up, down, 'gate']);
  const left = all
    ? [`(?!(?:${[...gone].join('|')})$)[a-zA-Z_0-9]+`]
    : targets.filter(target => !gone.has(target.split('.').at(-1) ?? target));
  return { targets: left, experts: { gateUp: has(gate) ? 2 * r : 0, down: has(down) ? r : 0 } };
}

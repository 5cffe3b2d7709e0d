import type { ModelFacts } from '../../models/model';
import type { LoraPlan } from '../run';
import type { Element } from '../tensor';
import type { Asker } from './asker';

/**
 * PEFT's targets where the config names none (peft 0.21, utils/constants.py,
 * TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING).
 */
const DEFAULT_TARGETS: Readonly<Record<string, readonly string[]>> = {
  llama: ['q_proj', 'v_proj'],
  mistral: ['q_proj', 'v_proj'],
  qwen2: ['q_proj', 'v_proj'],
  bert: ['query', 'value'],
};

/** The adapters; null without, undefined when something about them is missing. */
export function loraOf(asker: Asker, model: ModelFacts, weightDtype: Element): LoraPlan | null | undefined {
  const settings = asker.value('lora');
  const method = asker.value('method');
  if (settings === null) {
    return method === 'lora' || method === 'qlora' ? void asker.lack('the LoRA rank') : null;
  }
  if (settings.r === null) asker.lack('the LoRA rank');
  if (settings.dora) asker.lack('memory of DoRA');
  const targets = settings.targets ?? DEFAULT_TARGETS[model.modelType] ?? null;
  if (targets === null) asker.lack(`LoRA's target modules for ${model.modelType}`);
  if (settings.r === null || settings.dora || targets === null) return undefined;
  const { r, modulesToSave } = settings;
  const dtype = adapterDtype(asker, weightDtype);
  return { r, dropout: settings.dropout ?? 0, targets, modulesToSave, dtype };
}

/** PEFT widens adapters on a 16-bit base to fp32 (autocast_adapter_dtype, true by default). */
function adapterDtype(asker: Asker, weightDtype: Element): Element {
  const stated = asker.detail('adapterDtype');
  if (stated === 'bf16' || stated === 'fp16' || stated === 'fp32') return stated;
  return weightDtype === 'fp32'
    ? 'fp32'
    : asker.assume('fp32', 'adapters are held in fp32, as PEFT does by default');
}

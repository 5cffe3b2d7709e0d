import type { ModelFacts } from '../../models/model';
import type { LoraSettings } from '../../spec/values';
import type { AdapterMethod } from '../adapterMethod';
import type { Behavior } from '../frameworks/behavior/behavior';
import { profileOf } from '../frameworks/profileOf';
import { adapterMethods } from '../methods/registry';
import type { LoraPlan } from '../run';
import type { Element } from '../tensor';
import type { Asker } from './asker';
import { DEFAULT_TARGETS } from './defaultTargets';
import { targetedIn } from './expertAdapters';
import { isPreference } from './preference';
import type { Numbers } from './numbers';

/** The adapters; null without, undefined when something about them is missing. */
export function loraOf(
  asker: Asker,
  model: ModelFacts,
  behavior: Behavior,
  numbers: Numbers | null,
): LoraPlan | null | undefined {
  const settings = asker.value('lora');
  const method = asker.value('method');
  if (settings === null) {
    return method === 'lora' || method === 'qlora' ? void asker.lack('the LoRA rank') : null;
  }
  const other = methodOf(asker, settings);
  if (other === undefined) return undefined;
  const r = settings.r ?? (other && !other.ranked ? 0 : asker.lack('the LoRA rank'));
  const targets = targetsOf(settings, other, model, behavior);
  if (targets === null) asker.lack(`LoRA's target modules for ${model.modelType}`);
  if (r === null || targets === null) return undefined;
  const targeted = targetedIn(asker, settings, { targets, r }, { model, behavior });
  if (targeted === null) return undefined;
  const modulesToSave = settings.modulesToSave.map(name => COMMON_NAMES[name] ?? name);
  const dtype = adapterDtype(asker, behavior, numbers);
  const { factors } = settings;
  const dropout = silencesDropout(asker) ? 0 : (settings.dropout ?? 0);
  const plan = { r, dropout, ...targeted, modulesToSave, dtype, method: other, factors };
  return { ...plan, virtualTokens: virtualTokensOf(plan) };
}

/** Preference trainers switch all dropout off by default, that of adapters, too. */
const silencesDropout = ({ run }: Asker): boolean =>
  profileOf(run.framework).silencesDropout && isPreference(run.quantities.task.value);

/** Trained keys and values before those of a row. */
export const prefixOf = (plan: LoraPlan | null): number => (plan?.method?.prefixes ? plan.r : 0);

const virtualTokensOf = ({ r, method }: Pick<LoraPlan, 'r' | 'method'>): number =>
  method?.virtualTokens?.({ r }) ?? 0;

/** An optimizer that freezes LoRA's first matrix. */
const LORA_FA = 'lora-fa';

/** What is trained in place of LoRA's matrices; null: those; undefined: not known, and noted. */
function methodOf(asker: Asker, { method, dora }: LoraSettings): AdapterMethod | null | undefined {
  const name = method ?? (asker.value('optimizer') === LORA_FA ? LORA_FA : dora ? 'dora' : 'lora');
  if (name === 'lora') return null;
  const found = adapterMethods.find(({ names }) => names.includes(name));
  if (!found) asker.lack(`the memory of ${name.toUpperCase()}`);
  return found;
}

/** The method's own, the config's, those of the family; null: nobody knows. */
function targetsOf(
  settings: LoraSettings,
  method: AdapterMethod | null,
  model: ModelFacts,
  { fusesQueryKeyValue, denoiserTargets }: Behavior,
): LoraPlan['targets'] | null {
  if (method?.targets !== undefined) return method.targets === 'none' ? [] : 'all-linear';
  const targets = settings.targets ?? DEFAULT_TARGETS[model.modelType] ?? denoiserTargets;
  if (targets === null || targets === 'all-linear' || !fusesQueryKeyValue) return targets;
  return targets.some(name => SEPARATE.has(name)) ? [...targets, ...FUSED] : targets;
}

const SEPARATE = new Set(['q_proj', 'k_proj', 'v_proj']);
const FUSED = ['query_key_value', 'qkv_proj', 'c_attn'];

/** What families call the table of words and the head, and what the tape calls them. */
const COMMON_NAMES: Readonly<Record<string, string>> = {
  wte: 'embed_tokens',
  embed_in: 'embed_tokens',
  word_embeddings: 'embed_tokens',
  tok_embeddings: 'embed_tokens',
  embed_out: 'lm_head',
  output: 'lm_head',
};

/** PEFT widens adapters on a 16-bit base to fp32 (autocast_adapter_dtype, true by default); so it does, always, with 8 and 4 bits. */
function adapterDtype(asker: Asker, behavior: Behavior, numbers: Numbers | null): Element {
  const stated = asker.detail('adapterDtype');
  if (stated === 'bf16' || stated === 'fp16' || stated === 'fp32') return stated;
  const base = numbers?.weightDtype ?? 'fp32';
  if (base === 'fp32') return base;
  const { widensAdapters: widens } = behavior;
  if (widens === 'never' || (widens === 'quantised' && numbers?.quantization === null)) return base;
  return asker.assume('fp32', 'adapters are held in fp32, as PEFT does by default');
}

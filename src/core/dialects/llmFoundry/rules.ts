import type { Quantity } from '../../spec/quantity';
import type { LoraSettings, Method, Quantization } from '../../spec/values';
import type { RunReader } from '../engine/runReader';
import { int8, loraSettings } from '../shared/peft';
import type { LoraKeys } from '../shared/peft';

const NAMED = ['model.pretrained_model_name_or_path', 'model.pretrained_model_name'] as const;

/** MPT is described by its sizes where no checkpoint is named. */
export function model(run: RunReader): Quantity<string> {
  const key = NAMED.find(name => run.has(name));
  if (key !== undefined) return run.at(key, run.word(key));
  const kind = run.word('model.name');
  return kind?.startsWith('mpt') === true
    ? run.at('model.name', kind)
    : run.unknown(`${NAMED[0]} is not set.`);
}

/** What the training data is made of says what is trained. */
export function task(run: RunReader): Quantity<string> {
  const loader = run.word('train_loader.name');
  const from = (value: string): Quantity<string> =>
    run.derived(value, ['train_loader.name'], `the loader ${loader ?? ''} is made for it`);
  if (loader === 'finetuning') return from('sft');
  if (loader === 'text') return from('pretrain');
  if (loader === 'contrastive_pairs') return from('contrastive_embedding');
  return run.unknown('train_loader.name does not say what is trained.');
}

const LORA: LoraKeys = {
  r: ['model.peft_config.r'],
  alpha: ['model.peft_config.lora_alpha'],
  dropout: ['model.peft_config.lora_dropout'],
  targets: ['model.peft_config.target_modules'],
  modulesToSave: ['model.peft_config.modules_to_save'],
  rslora: ['model.peft_config.use_rslora'],
  dora: ['model.peft_config.use_dora'],
  // peft's LoraConfig.
  defaults: { r: 8, alpha: 8, dropout: 0 },
};
const PEFT = 'model.peft_config';

export function lora(run: RunReader): Quantity<LoraSettings> {
  if (!run.has(PEFT)) return run.none('llmfoundry/models/hf: peft_config is None');
  return loraSettings(run, LORA, [PEFT]);
}

export function method(run: RunReader): Quantity<Method> {
  if (!run.has(PEFT)) return run.byDefault<Method>('full', 'llmfoundry/models/hf: peft_config is None');
  return run.at<Method>([`${PEFT}.peft_type`, PEFT], 'lora');
}

/** `load_in_8bit` is for evaluation only (hf_base.py). */
export function quantization(run: RunReader): Quantity<Quantization> {
  return run.flag('model.load_in_8bit') === true
    ? run.at('model.load_in_8bit', int8)
    : run.none('llmfoundry/models/hf: load_in_8bit is False');
}

export function packing(run: RunReader): Quantity<boolean> {
  const key = 'train_loader.dataset.packing_ratio';
  if (run.has(key)) return run.at(key, run.value(key) !== 1);
  return run.get('task').value === 'pretrain'
    ? run.derived(true, ['task'], 'rows are cut from a stream of tokens')
    : run.byDefault(false, 'llmfoundry/data/finetuning/dataloader.py: packing_ratio is None');
}

/** MPT: flash by default; models of transformers: eager unless something else is asked for. */
export function attention(run: RunReader): Quantity<string> {
  const own = run.word('model.attn_implementation');
  if (own !== null) return run.at('model.attn_implementation', own);
  if (run.flag('model.use_flash_attention_2')) {
    return run.at('model.use_flash_attention_2', 'flash_attention_2');
  }
  if (run.word('model.name')?.startsWith('mpt') !== true) {
    return run.byDefault('eager', 'llmfoundry/models/hf/hf_causal_lm.py: use_flash_attention_2 is False');
  }
  const kernel = run.word('model.attn_config.attn_impl');
  if (kernel === null) return run.byDefault('flash_attention_2', 'llmfoundry/models/mpt: attn_impl is flash');
  return run.at('model.attn_config.attn_impl', kernel === 'flash' ? 'flash_attention_2' : 'eager');
}

export function loss(run: RunReader): Quantity<string> {
  return run.byCode('standard', 'llmfoundry/models: cross entropy over all logits');
}

export function compile(run: RunReader): Quantity<boolean> {
  return run.has('compile_config')
    ? run.at('compile_config', true)
    : run.byDefault(false, 'llmfoundry/utils/config_utils.py TrainConfig: compile_config is None');
}

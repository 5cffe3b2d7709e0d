import type { Quantity } from '../../spec/quantity';
import type { LoraSettings, Method, Quantization } from '../../spec/values';
import { number } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import { fourBit } from '../shared/peft';

/** Keys that only the script for preferences has. */
const DPO_KEYS = ['dpo_loss_type', 'loss_type', 'beta', 'gamma_beta_ratio', 'dpo_beta'];

/** Two scripts share the keys: supervised fine-tuning and DPO, whose `loss_type` may be another loss's. */
export function task(run: RunReader): Quantity<string> {
  const loss = run.word('loss_type') ?? run.word('dpo_loss_type');
  if (loss === 'simpo') return run.at(['loss_type', 'dpo_loss_type'], 'simpo');
  const key = DPO_KEYS.find(name => run.has(name));
  if (key !== undefined) return run.derived('dpo', [key], `${key} is a key of dpo_tune_cache.py`);
  const folders = run.pathWords.slice(-3).join('/');
  const named = /(?:^|[^a-z])(dpo|sft)(?:[^a-z]|$)/.exec(folders)?.[1];
  if (named !== undefined) return run.derived(named, ['path'], `the config's path says ${named}`);
  return run.derived('sft', ['with_tracking'], 'nothing belongs to another script than finetune.py');
}

export function method(run: RunReader): Quantity<Method> {
  if (run.flag('use_qlora')) return run.at('use_qlora', 'qlora');
  if (run.flag('use_lora')) return run.at('use_lora', 'lora');
  return run.byDefault('full', 'open_instruct/finetune.py: use_lora is false');
}

/** open_instruct/finetune.py: BitsAndBytesConfig. */
export function quantization(run: RunReader): Quantity<Quantization> {
  if (!run.flag('use_qlora')) return run.none('open_instruct/finetune.py: use_qlora is false');
  return run.at('use_qlora', fourBit('nf4', true, 'bf16', null));
}

const TARGETS = ['q_proj', 'o_proj', 'v_proj', 'k_proj', 'gate_proj', 'up_proj', 'down_proj'];

export function lora(run: RunReader): Quantity<LoraSettings> {
  if (run.get('method').value === 'full') return run.none('open_instruct/finetune.py: use_lora is false');
  return run.at(['lora_rank', 'use_lora', 'use_qlora'], {
    r: run.count('lora_rank') ?? 64,
    alpha: run.read('lora_alpha', number) ?? 16,
    dropout: run.read('lora_dropout', number) ?? 0.1,
    targets: TARGETS,
    modulesToSave: [],
    rslora: false,
    dora: false,
  });
}

export function optimizer(run: RunReader): Quantity<string> {
  const source = 'open_instruct/finetune.py: torch.optim.AdamW, bitsandbytes’ paged one for QLoRA';
  const paged = run.flag('use_qlora') === true || run.flag('dpo_use_paged_optimizer') === true;
  if (!paged) return run.byDefault('torch.optim.AdamW', source);
  return run.byDefault(run.flag('use_8bit_optimizer') ? 'paged_adamw_8bit' : 'paged_adamw_32bit', source);
}

/** Fused with the head only when the loss is averaged by the model itself. */
export function loss(run: RunReader): Quantity<string> {
  if (!run.flag('use_liger_kernel')) return run.byDefault('standard', 'open_instruct/finetune.py');
  const fused = (run.word('reduce_loss') ?? 'mean') === 'mean';
  return run.at('use_liger_kernel', fused ? 'liger' : 'standard');
}

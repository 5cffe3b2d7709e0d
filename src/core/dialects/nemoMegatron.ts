import type { Quantity } from '../spec/quantity';
import type { LoraSettings } from '../spec/values';
import { number } from './engine/readers';
import type { RunReader } from './engine/runReader';
import { ownOf } from '../yaml/tables';
import { builtIn } from './defined/compile';
import file from './nemoMegatron.yaml';
import type { Dialect } from './dialect';

const SCHEME = 'model.peft.peft_scheme';

const TARGETS: Readonly<Record<string, readonly string[]>> = {
  attention_qkv: ['q_proj', 'k_proj', 'v_proj'],
  attention_dense: ['o_proj'],
  attention: ['q_proj', 'k_proj', 'v_proj', 'o_proj'],
  mlp_fc1: ['gate_proj', 'up_proj'],
  mlp_fc2: ['down_proj'],
  mlp: ['gate_proj', 'up_proj', 'down_proj'],
  all: ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'],
};

/** Each scheme has a separate section. */
function lora(run: RunReader): Quantity<LoraSettings> {
  const scheme = run.word(SCHEME);
  const chosen = run.get('method').value;
  if (chosen !== 'lora' && chosen !== 'qlora') {
    return run.none('NeMo tuning/conf/megatron_gpt_finetuning_config.yaml: another scheme');
  }
  const section = scheme === 'lora' || scheme === 'qlora' ? 'lora_tuning' : `${scheme ?? ''}_tuning`;
  const key = (name: string): string => `model.peft.${section}.${name}`;
  const r = run.has(key('adapter_dim'))
    ? run.count(key('adapter_dim'))
    : section === 'ia3_tuning'
      ? null
      : 32;
  const targets = run.words(key('target_modules')) ?? ['attention_qkv'];
  return run.at([key('adapter_dim'), SCHEME], {
    r,
    alpha: run.read(key('alpha'), number) ?? r,
    dropout: run.read(key('adapter_dropout'), number) ?? 0,
    targets: targets.flatMap(name => ownOf(TARGETS, name) ?? [name]),
    modulesToSave: [],
    rslora: false,
    dora: false,
    ...(section !== 'lora_tuning' && { method: scheme ?? '' }),
  });
}

/** NeMo 1.x on Megatron, and the files of its launcher; sources are files of NVIDIA/NeMo 8cfedd7 (2.6.0rc0). */
export const nemoMegatron: Dialect = builtIn(file, { quantities: { lora } });

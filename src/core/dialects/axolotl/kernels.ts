import type { Quantity } from '../../spec/quantity';
import type { RunReader } from '../engine/runReader';
import { ownOf } from '../../yaml/tables';

/** Liger's kernels by the keys that enable them, if its plugin is listed. */
const LIGER: Readonly<Record<string, string>> = {
  liger_rope: 'liger_rope',
  liger_rms_norm: 'liger_rms_norm',
  liger_glu_activation: 'liger_glu',
  liger_swiglu: 'liger_glu',
  liger_layer_norm: 'liger_layer_norm',
};

const LORA = ['lora_mlp', 'lora_qkv', 'lora_o', 'lora_embedding'];

/** True if a plugin is listed, whatever its module. */
export const hasPlugin = (run: RunReader, plugin: string): boolean =>
  run.words('plugins')?.some(name => name.endsWith(plugin)) === true;

/** Fused kernels instead of the model's own code. */
export function kernels(run: RunReader): Quantity<readonly string[]> {
  const liger = hasPlugin(run, 'LigerPlugin') ? Object.keys(LIGER).filter(key => run.flag(key)) : [];
  const set = LORA.filter(name => run.flag(`${name}_kernel`));
  const used = [...liger.map(key => ownOf(LIGER, key) ?? key), ...(loraKernelsByDefault(run) ? LORA : set)];
  const from = [...liger, ...set.map(name => `${name}_kernel`)];
  const [first] = from;
  const names = [...new Set(used)].sort();
  return first === undefined ? run.byDefault(names, 'schemas/config.py L1901-1997') : run.at(first, names);
}

/** The default for supervised LoRA, unless a kernel key is set, or the base is in 8 bits or uses remote code. */
function loraKernelsByDefault(run: RunReader): boolean {
  const method = run.get('method').value;
  const stated = LORA.some(name => run.has(`${name}_kernel`));
  const plain = !run.has('rl') && !run.flag('trust_remote_code') && !run.flag('load_in_8bit');
  return (
    (method === 'lora' || method === 'qlora') && !stated && plain && run.get('fsdp').value?.version !== 1
  );
}

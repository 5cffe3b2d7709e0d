import type { Quantity } from '../../spec/quantity';
import type { LoraSettings } from '../../spec/values';
import { number } from '../engine/readers';
import type { RunReader } from '../engine/runReader';

/** components/_peft/lora.py L45-59. */
export function lora(run: RunReader): Quantity<LoraSettings> {
  if (!run.has('peft')) return run.none('recipes/llm/train_ft.py: no peft section');
  const named = run.words('peft.target_modules') ?? [];
  const all = run.flag('peft.match_all_linear') === true || named.length === 0;
  return run.at(['peft.dim', 'peft'], {
    r: run.has('peft.dim') ? run.count('peft.dim') : 8,
    alpha: run.read('peft.alpha', number) ?? 32,
    dropout: run.read('peft.dropout', number) ?? 0,
    targets: all ? 'all-linear' : named.flatMap(name => (name === '*_proj' ? PROJECTIONS : [lastOf(name)])),
    modulesToSave: [],
    rslora: false,
    dora: run.flag('peft.use_dora') ?? false,
  });
}

const lastOf = (name: string): string => name.split('.').at(-1) ?? name;

const PROJECTIONS = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'];

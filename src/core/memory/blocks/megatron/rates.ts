import { stated } from '../../configValues';
import type { MemoryRun } from '../../run';

/** megatron/core/transformer/transformer_config.py: hidden_dropout and attention_dropout. */
const DEFAULT_RATE = 0.1;

/** Probabilities of dropout; models that are not Megatron's own have the rates of their config. */
export function ratesOf({ model, task }: MemoryRun): { readonly hidden: number; readonly attention: number } {
  if (task !== 'train') return { hidden: 0, attention: 0 };
  const own = model.modelType.startsWith('megatron') ? DEFAULT_RATE : 0;
  return {
    hidden: stated(model, 'hidden_dropout', own),
    attention: stated(model, 'attention_dropout', own),
  };
}

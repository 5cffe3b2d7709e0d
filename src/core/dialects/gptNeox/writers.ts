import type { WriterTable } from '../dialect';
import { keepsMethod, refuse, refused, write } from '../shared/writing';
import { spelled } from './rules';

/** How GPT-NeoX wants to be told what is more than one plain key, in the spelling that the file has. */
export const gptNeoxWriters: WriterTable = {
  ...keepsMethod('GPT-NeoX trains all weights.'),
  gradientCheckpointing: (to, run) => write(spelled(run, 'checkpoint_activations'), to),
  precision: (to, run) => {
    const words: Readonly<Record<string, string>> = { fp16: 'fp16', bf16: 'bfloat16', fp32: 'fp32' };
    const word = words[to];
    if (word === undefined) return refuse('GPT-NeoX takes fp16, bfloat16 or fp32.');
    return run.has('fp16.enabled') || run.has('bf16.enabled')
      ? refuse('A section of DeepSpeed turns the precision on, and precision may only repeat it.')
      : write('precision', word);
  },
  loadDtype: refused('DeepSpeed holds weights in the compute dtype.'),
};

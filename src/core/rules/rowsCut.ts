import { percentile } from '../lengths/counts';
import { inTokens, tokenBins } from '../lengths/record';
import { grouped } from '../units';
import type { Rule } from './rule';

/** A row in a hundred is worth a thought; fewer are in all data. */
const MANY = 0.01;

/** What becomes of a row that is longer, where that was read in the framework's source. */
const FATES: Readonly<Record<string, string>> = {
  axolotl: 'Axolotl drops them unless excess_length_strategy is truncate',
  llamafactory: 'LLaMA-Factory cuts them off',
  'hf-trl': 'TRL cuts them off',
};

export const rowsCut: Rule = {
  id: 'rows-cut',
  severity: 'warning',
  summary: 'Rows of the data are longer than the sequence length.',
  sources: [
    'the lengths that were counted of the data',
    'axolotl 0.18 utils/schemas/config.py: excess_length_strategy drop',
    'LLaMA-Factory data/processor: sequences are cut at cutoff_len; trl sft_trainer.py: truncate_dataset',
  ],
  check({ data, run }) {
    const limit = data?.limit ?? null;
    if (!data || data.isStale || limit === null || data.use === 'prompts' || data.cutShare < MANY) return [];
    // Texts that are concatenated are cut where a row is full, and lose nothing.
    if (run.quantities.task.value === 'pretrain') return [];
    const bins = tokenBins(data.record);
    const about = data.record.tokenizer === null ? 'About ' : '';
    const fate = FATES[run.dialect] ?? 'they are cut off or dropped';
    const message =
      `${about}${(data.cutShare * 100).toFixed(1)} % of the rows are longer than ${grouped(limit)} tokens: ${fate}. ` +
      `${grouped(percentile(bins, 0.99))} would take 99 % of them whole, ${grouped(inTokens(data.record, data.record.longest).expected)} all.`;
    return [{ at: ['quantity:seqLen', 'quantity:model'], message }];
  },
};

import type { KeyHelp } from '../dialect';
import { composerHelp } from '../shared/composerTrainer';

/** What LLM Foundry's keys do to memory, beside those of Composer's trainer. */
export const llmFoundryHelp: Readonly<Record<string, KeyHelp>> = {
  ...composerHelp,
  'train_loader.dataset.packing_ratio': {
    text: 'Fills rows up to `max_seq_len` with so many samples on average; `auto` finds the number. Every step then takes the worst case.',
    byDefault: 'none: rows are padded',
  },
  'model.peft_config': { text: 'Trains adapters only: gradients and optimizer states of the base are gone.' },
  'model.peft_config.r': {
    text: 'Rank of the adapters: their weights, gradients and states grow with it.',
    byDefault: '8',
  },
  'model.use_flash_attention_2': {
    text: 'FlashAttention in place of attention that keeps its scores, which grow with the square of the length.',
    values: ['true', 'false'],
    byDefault: 'false',
  },
  'model.attn_config.attn_impl': {
    text: 'MPT’s attention: `torch` keeps scores that grow with the square of the length, `flash` does not.',
    values: ['flash', 'torch'],
    byDefault: 'flash',
  },
  expandable_segments: {
    text: 'Lets torch’s allocator grow its blocks: less is lost to fragments.',
    values: ['true', 'false'],
    byDefault: 'true',
  },
};

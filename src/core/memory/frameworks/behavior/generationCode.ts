import type { GenerationCode } from './behavior';
import { inRelease, isBefore } from '../../../spec/version';
import type { Release } from '../../../spec/version';

type Caching = Omit<GenerationCode, 'promptLogits' | 'widensLogits'>;

/**
 * transformers, cache_utils.py (Cache since 4.36) and generation/utils.py (`del outputs`, num_logits_to_keep), from
 * wheels.
 */
const CACHING: readonly [Release<Caching>, ...Release<Caching>[]] = [
  { since: '4.56', value: { cache: 'concatenated', copiesPrompt: true, slides: true, keepsOutputs: false } },
  {
    since: '4.45',
    value: { cache: 'concatenated', copiesPrompt: false, slides: false, keepsOutputs: false },
  },
  { since: '4.36', value: { cache: 'concatenated', copiesPrompt: false, slides: false, keepsOutputs: true } },
  { since: '0', value: { cache: 'tuples', copiesPrompt: false, slides: false, keepsOutputs: true } },
];

/** Families that kept tuple caches, and logits of the whole prompt, until later (their modeling files). */
const TUPLES_UNTIL: Readonly<Record<string, string>> = { opt: '4.52', gpt_neox: '4.47', gpt2: '4.52' };

/**
 * The release from which `generate` requests only the last token's logits, if the family supports it
 * (num_logits_to_keep).
 */
const LAST_LOGITS = '4.45';

export function generationOf(transformers: string, modelType: string): GenerationCode {
  const caching = inRelease(CACHING, transformers);
  const former = isBefore(TUPLES_UNTIL[modelType], transformers);
  const all = former || isBefore(LAST_LOGITS, transformers);
  return {
    ...caching,
    ...(former && { cache: 'tuples' }),
    promptLogits: all ? 'all' : 'last',
    widensLogits: all && !former,
  };
}

import { isServed } from '../serving';
import type { Change } from '../../spec/change';
import type { Remedy, RemedyContext, RemedyOption } from '../remedy';
import { template } from '../../text/say';

const FEWEST_TOKENS = 1024;
const FEWEST_SEQUENCES = 8;

/** Tokens that a serving engine computes per pass, and its number of concurrent sequences. */
export const servedAtOnce: Remedy = {
  id: 'served-at-once',
  label: template('the tokens that the engine computes at once'),
  sources: [
    'vLLM docs, "Optimization and Tuning": "Decrease max_num_seqs or max_num_batched_tokens"',
    'SGLang docs, hyperparameter tuning: chunked-prefill-size lower where prefill runs out of memory',
  ],
  less: context => {
    if (!isServed(context.run)) return [];
    return [...tokens(context), ...sequences(context)];
  },
};

function tokens({ run, say }: RemedyContext): RemedyOption[] {
  const now = run.details.prefillTokens?.value ?? null;
  const steps =
    now === null ? [] : [now / 2, now / 4].filter(to => to >= FEWEST_TOKENS && Number.isInteger(to));
  return steps.map((to, i) =>
    option({ detail: 'prefillTokens', to }, i, say('processes prompts in smaller chunks')),
  );
}

function sequences({ run, say }: RemedyContext): RemedyOption[] {
  const now = run.details.maxSequences?.value ?? null;
  const steps =
    now === null ? [] : [now / 2, now / 4].filter(to => to >= FEWEST_SEQUENCES && Number.isInteger(to));
  return steps.map((to, i) => option({ detail: 'maxSequences', to }, i, say('fewer concurrent requests')));
}

const option = (change: Change, step: number, speed: string): RemedyOption => ({
  changes: [change],
  price: { time: 1.05 ** (step + 1), speed, quality: null },
});

import { sizeKey } from '../modelSizes';
import type { Remedy, RemedyContext, RemedyOption } from '../remedy';
import { template } from '../../text/say';

/** Names of the width in configs that build a model. */
export const WIDTH_KEYS: ReadonlySet<string> = new Set([
  'hidden_size',
  'd_model',
  'dim',
  'n_embd',
  'hidden_dim',
  'base_emb_dim',
]);

const FEWER = [0.75, 0.5];
const MORE = [1.25, 1.5, 2];

/** A narrower or wider model that the config builds and trains from scratch; the number of heads stays. */
export const width: Remedy = {
  id: 'width',
  label: template('the model width'),
  changesTask: true,
  sources: [
    'Kaplan et al., arXiv 2001.08361: the loss follows the number of parameters, hardly their shape',
    'utilisation guide: capacity after the batch',
  ],
  less: context =>
    widths(context, FEWER).map(({ changes, factor, to, now }, i) => ({
      changes,
      price: {
        time: 1,
        speed: null,
        quality: context.say('a width of {0} instead of {1}: a smaller model that learns less', to, now),
        trade: (factor === 0.5 ? 8 : 4) + i,
      },
    })),
  towards: {
    goal: 'largest',
    options: context =>
      widths(context, MORE).map(({ changes, factor }) => ({
        changes,
        // A layer's parameters and work are quadratic in its width.
        gain: factor ** 2,
        price: {
          time: factor ** 2,
          speed: context.say('slower: compute per layer grows with the square of its width'),
          quality: null,
        },
      })),
  },
};

interface Wider {
  readonly changes: RemedyOption['changes'];
  readonly factor: number;
  readonly to: number;
  readonly now: number;
}

/** Widths with a head size that is a multiple of eight. */
function widths(context: RemedyContext, factors: readonly number[]): readonly Wider[] {
  const key = sizeKey(
    context,
    WIDTH_KEYS,
    ({ hiddenSize }) => hiddenSize,
    now => 2 * now,
  );
  const heads = context.model?.heads ?? 0;
  if (key === null || heads < 1) return [];
  return factors
    .map(factor => ({ factor, to: Math.round((key.now * factor) / (8 * heads)) * 8 * heads }))
    .filter(({ to }) => to > 0 && to !== key.now)
    .map(({ factor, to }) => ({ changes: [{ key: key.path, to }], factor, to, now: key.now }));
}

import { sizeKey } from '../modelSizes';
import type { SizeKey } from '../modelSizes';
import type { Remedy, RemedyContext } from '../remedy';
import { template } from '../../text/say';

/** Names of the number of layers in configs that build a model. */
export const LAYER_KEYS: ReadonlySet<string> = new Set([
  'num_hidden_layers',
  'num_layers',
  'n_layers',
  'n_layer',
  'num_decoder_layers',
  'base_num_decoder_layers',
]);

const FEWER = [0.75, 0.5, 0.25];
const MORE = [1.25, 1.5, 2, 3, 4];

/** Fewer or more layers of a model that the config builds and trains from scratch. */
export const layers: Remedy = {
  id: 'layers',
  label: template('the number of layers'),
  changesTask: true,
  sources: [
    'Kaplan et al., arXiv 2001.08361: the loss follows the number of parameters, hardly their shape',
    'utilisation guide: capacity after the batch',
  ],
  less: context => {
    const key = keyOf(context);
    return stepsOf(key, FEWER).map((to, i) => ({
      changes: [{ key: key?.path ?? '', to }],
      sizes: [to / (key?.now ?? to)],
      price: {
        time: 1,
        speed: null,
        quality: context.say(
          '{0} layers instead of {1}: a smaller model that learns less',
          to,
          key?.now ?? to,
        ),
        trade: 4 * (i + 1),
      },
    }));
  },
  towards: {
    goal: 'largest',
    options: context => {
      const key = keyOf(context);
      return stepsOf(key, MORE).map(to => {
        const gain = to / (key?.now ?? to);
        return {
          changes: [{ key: key?.path ?? '', to }],
          sizes: [gain],
          gain,
          price: { time: gain, speed: context.say('slower: more layers'), quality: null },
        };
      });
    },
  },
};

const keyOf = (context: RemedyContext): SizeKey | null =>
  sizeKey(
    context,
    LAYER_KEYS,
    ({ layers }) => layers,
    now => 2 * now,
  );

/** Keeps pipeline stages whole: multiples of four, or of two if the current number is not a multiple of four. */
function stepsOf(key: SizeKey | null, factors: readonly number[]): number[] {
  if (key === null) return [];
  const multiple = [4, 2, 1].find(by => key.now % by === 0) ?? 1;
  const wanted = factors.map(factor => Math.round((key.now * factor) / multiple) * multiple);
  return [...new Set(wanted)].filter(to => to >= 1 && to !== key.now);
}

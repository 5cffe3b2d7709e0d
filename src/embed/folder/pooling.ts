import { EmbedError } from '../errors';
import type { Fields } from './json';

/** How the vectors of a text's tokens become one, with the names of sentence-transformers (models/Pooling.py). */
export type Pooling = 'cls' | 'max' | 'mean' | 'mean_sqrt_len_tokens' | 'weightedmean' | 'lasttoken';

/** In the order in which sentence-transformers concatenates them. */
const FLAGS: readonly (readonly [flag: string, pooling: Pooling])[] = [
  ['pooling_mode_cls_token', 'cls'],
  ['pooling_mode_max_tokens', 'max'],
  ['pooling_mode_mean_tokens', 'mean'],
  ['pooling_mode_mean_sqrt_len_tokens', 'mean_sqrt_len_tokens'],
  ['pooling_mode_weightedmean_tokens', 'weightedmean'],
  ['pooling_mode_lasttoken', 'lasttoken'],
];
/** What has to be true or false. */
const SWITCHES: readonly string[] = [...FLAGS.map(([flag]) => flag), 'include_prompt'];
const POOLINGS: readonly Pooling[] = FLAGS.map(([, pooling]) => pooling);

const isPooling = (word: unknown): word is Pooling => POOLINGS.some(pooling => pooling === word);

/** The poolings in `1_Pooling/config.json`; the mean if it has none, as in sentence-transformers. */
export function poolingsIn(config: Fields, path: string): readonly Pooling[] {
  const word = config['pooling_mode'];
  const words = Array.isArray(word) ? (word as readonly unknown[]) : word === undefined ? [] : [word];
  const wrong = SWITCHES.find(flag => !['boolean', 'undefined'].includes(typeof config[flag]));
  if (wrong !== undefined) {
    throw new EmbedError(
      'bad-model',
      `${path}: ${wrong} is ${JSON.stringify(config[wrong])}, not true or false; fetch the model again, or name one with --pooling.`,
    );
  }
  const unrecognized = words.find(each => !isPooling(each));
  if (unrecognized !== undefined) {
    throw new EmbedError(
      'bad-model',
      `${path}: pooling ${JSON.stringify(unrecognized)} is not known here; name one with --pooling (${POOLINGS.join(', ')}).`,
    );
  }
  if (words.length > 0) return POOLINGS.filter(pooling => words.includes(pooling));
  const flagged = FLAGS.filter(([flag]) => config[flag] === true).map(([, pooling]) => pooling);
  return flagged.length > 0 ? flagged : ['mean'];
}

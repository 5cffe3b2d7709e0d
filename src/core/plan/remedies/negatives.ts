import { changed } from '../../dialects/change';
import type { RunSpec } from '../../spec/runSpec';
import { scalarsOf } from '../../spec/scalarKeys';
import type { Remedy, RemedyOption } from '../remedy';
import { template } from '../../text/say';

/** Keys that count the negatives of an anchor, and keys that also count its positive. */
const NEGATIVES: ReadonlySet<string> = new Set([
  'n_negatives',
  'num_negatives',
  'num_hard_negatives',
  'n_hard_negatives',
  'negatives_per_query',
]);
const GROUPS: ReadonlySet<string> = new Set(['train_group_size', 'train_n_passages']);

/** The guide's program trains against many at once; for passages, one negative is enough. */
const FEWEST_OF_MANY = 4;

/** Fewer negatives per anchor in contrastive training: each is a sequence to encode. Changes the task. */
export const negatives: Remedy = {
  id: 'negatives',
  label: template('the negatives per sample'),
  outsideSpeedModel: true,
  changesTask: true,
  sources: [
    'training-memory guide: "Reduce negatives in early stages"',
    'naics-embedder: a step encodes anchor + positive + negatives',
    'FlagEmbedding, abc/arguments: train_group_size is one positive and the negatives of a query',
    'Karpukhin et al., arXiv 2004.04906: a hard negative helps, a second hardly does',
  ],
  less: ({ run, say }) => {
    const key = keyOf(run);
    if (key === null) return [];
    const options: RemedyOption[] = [];
    for (let to = Math.floor(key.now / 2); to >= key.fewest; to = Math.floor(to / 2)) {
      options.push({
        changes: [{ key: key.path, to: to + key.positives }],
        sizes: [to / key.now],
        price: {
          time: 1,
          speed: null,
          quality: say('{0} instead of {1} negatives per anchor: an easier task to learn from', to, key.now),
          trade: 4 * (options.length + 1),
        },
      });
    }
    return options;
  },
};

interface NegativesKey {
  readonly path: string;
  /** Current number of negatives. */
  readonly now: number;
  /** Texts that the key counts in addition. */
  readonly positives: number;
  readonly fewest: number;
}

/** The key that decides the texts per anchor: recognized by its name and by the effect of a change. */
function keyOf(run: RunSpec): NegativesKey | null {
  const own = guideKey(run);
  if (own !== null) return own;
  for (const { path, name, value } of scalarsOf(run)) {
    if ((!NEGATIVES.has(name) && !GROUPS.has(name)) || typeof value !== 'number') continue;
    const positives = GROUPS.has(name) ? 1 : 0;
    const fewer = changed(run, [{ key: path, to: value - 1 }]);
    if (passagesOf(run) !== null && passagesOf(fewer) === (passagesOf(run) ?? 0) - 1) {
      return { path, now: value - positives, positives, fewest: 1 };
    }
  }
  return null;
}

/** Encoded passages per query. */
const passagesOf = ({ details }: RunSpec): number | null => details.contrastive?.value?.passages ?? null;

/** For programs that encode the anchor, its positive and the negatives of each sample. */
function guideKey({ details: { sequencesPerSample } }: RunSpec): NegativesKey | null {
  const { origin, value = null } = sequencesPerSample ?? {};
  const path = origin?.kind === 'derived' ? origin.from.find(key => NEGATIVES.has(key)) : undefined;
  if (path === undefined || value === null) return null;
  return { path, now: value - 2, positives: 0, fewest: FEWEST_OF_MANY };
}

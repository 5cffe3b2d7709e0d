import type { Remedy, RemedyOption } from '../remedy';

const KEY = 'n_negatives';
/** An anchor needs something to be told from. */
const FEWEST = 4;

/** Fewer negatives per anchor in contrastive training: each is a sequence to encode. A change of the task. */
export const negatives: Remedy = {
  id: 'negatives',
  label: 'the negatives per sample',
  changesTask: true,
  sources: [
    'training-memory guide: "Reduce negatives in early stages"',
    'naics-embedder: a step encodes anchor + positive + negatives',
  ],
  less: ({ run }) => {
    const sequences = run.details.sequencesPerSample;
    const origin = sequences?.origin;
    if (origin?.kind !== 'derived' || !origin.from.includes(KEY)) return [];
    const options: RemedyOption[] = [];
    // The anchor and its positive stay.
    const now = (sequences?.value ?? 2) - 2;
    for (let to = now / 2; Number.isInteger(to) && to >= FEWEST; to /= 2) {
      options.push({
        changes: [{ key: KEY, to }],
        sizes: [to / now],
        price: {
          time: 1,
          speed: null,
          quality: 'fewer negatives: they are easier to tell apart',
          trade: 4 * (options.length + 1),
        },
      });
    }
    return options;
  },
};

import type { Quantity } from '../../spec/quantity';
import type { Rule } from '../dialect';
import type { RunReader } from '../engine/runReader';
import { Finder, isAmount, isNamed, isWord } from './finder';
import type { Leaf } from './leaves';
import { leavesOfRun } from './leaves';
import { words } from './vocabulary';

/** A way in which a sample becomes several rows of a pass. */
interface Kind {
  readonly what: string;
  /** Keys that state the number. */
  readonly counts: RegExp;
  /** Names and values that show it if no key states the number; null: only its own keys show it. */
  readonly shown: { readonly names: RegExp; readonly values: RegExp } | null;
  /** Rows of a sample with the stated number; null: the number alone does not decide it. */
  readonly rows: ((stated: number) => number) | null;
  /** A row of text does not become several by it, but may hold them. */
  readonly sidewise?: true;
  /** The key that states it in most people's configs. */
  readonly key: string;
  /** True if the dialect reads it as something else of the run. */
  readonly isRead?: (run: RunReader) => boolean;
}

const comparesPassages = (run: RunReader): boolean => run.detail('contrastive').value !== null;

/** The more specific ones first. */
const KINDS: readonly Kind[] = [
  {
    what: 'generations of each prompt',
    counts: words.generations,
    shown: { names: words.algorithm, values: words.generates },
    rows: null,
    key: 'num_generations',
    isRead: run => words.generates.test(run.get('task').value ?? ''),
  },
  { what: 'crops of several sizes', counts: words.crops, shown: null, rows: null, key: 'local_crops_number' },
  {
    what: 'passages of each query',
    counts: words.group,
    shown: null,
    rows: stated => 1 + stated,
    key: 'train_group_size',
    isRead: comparesPassages,
  },
  {
    what: 'negatives of each sample',
    counts: words.negatives,
    shown: { names: words.algorithm, values: words.compares },
    rows: stated => 2 + stated,
    key: 'num_negatives',
    isRead: comparesPassages,
  },
  {
    what: 'views of each image',
    counts: words.views,
    shown: { names: words.algorithm, values: words.viewed },
    rows: stated => stated,
    key: 'num_views',
    sidewise: true,
  },
  {
    what: 'frames of each clip',
    counts: words.frames,
    shown: { names: words.dataName, values: words.clipData },
    rows: stated => stated,
    key: 'num_frames',
    sidewise: true,
    isRead: run => run.detail('frames').value !== null,
  },
];

/**
 * Rows that a step encodes per sample in an unknown program, from the names and places of its keys. A number that no key states
 * is unknown, never one. Without a sign of several rows, there is no multiplier.
 */
export const samplesByName: Rule<number> = run => {
  const leaves = leavesOfRun(run).filter(({ place }) => place !== 'evaluation');
  const finder = new Finder(leaves);
  const found = KINDS.filter(({ isRead }) => isRead?.(run) !== true)
    .map(kind => numberOf(run, finder, kind))
    .filter(one => one !== null);
  return found.find(({ value }) => value === null) ?? found[0] ?? run.none('no key names several rows');
};

function numberOf(run: RunReader, finder: Finder, kind: Kind): Quantity<number> | null {
  const { counts, shown, rows, what, key, sidewise } = kind;
  const stated = finder.all(isNamed(counts), isAmount);
  const numbers = new Set(stated.map(({ value }) => Number(value)));
  const [first] = stated;
  if (first && rows && numbers.size === 1) {
    const number = Number(first.value);
    const isOfPictures = sidewise === true && run.get('seqLen').value !== null;
    if (!isOfPictures) return run.derived(rows(number), [first.key], `${first.key} is the number of ${what}`);
  }
  if (first && (numbers.size > 1 || Number(first.value) > 1)) {
    return openBy(run, first, `${first.key} alone does not tell; it is about ${what}.`);
  }
  const sign = shown && first === undefined ? finder.all(isNamed(shown.names), isWord) : [];
  const found = sign.find(({ value }) => shown?.values.test(String(value)));
  return found ? openBy(run, found, `no key states ${key}; ${found.key} makes several ${what}.`) : null;
}

/** Unknown because of this key, whatever the task is. */
function openBy(run: RunReader, { key }: Leaf, why: string): Quantity<never> {
  const { origin } = run.at<never>(key, null);
  return { value: null, origin: { kind: 'unresolved', why, ...('at' in origin && { key: origin.at }) } };
}

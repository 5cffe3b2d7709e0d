import { phrase } from '../../text/say';
import type { ScalarValue } from '../../yaml/node';
import type { DefinedRow, SourcedValue } from '../defined/definition';
import { emptyRow } from '../defined/definition';
import { readers } from '../defined/words';
import { dtypeWord } from '../shared/words';
import { rowAt } from './batches';
import { isFlag, isTrue, isWord, isNamed, only } from './finder';
import type { Finder, Test } from './finder';
import type { Leaf } from './leaves';
import { words } from './vocabulary';

type Rows = Record<string, DefinedRow>;

const WHAT = phrase`the precision of training`;
const WHAT_WEIGHTS = phrase`what the weights are held in`;

export const assumed = (value: ScalarValue, source: string): { readonly assumed: SourcedValue } => ({
  assumed: { value, source },
});

/**
 * The precision, by flags, a word, or autocast's switch; and the dtype of the loaded weights. `isSilent`: nothing of the
 * program's loop says another one than torch's own.
 */
export function precisionRows(finder: Finder, isSilent: boolean): Rows {
  const isDtype: Test = leaf => isWord(leaf) && fits(dtypeWord(leaf.value));
  const dtype = only(finder.one(isNamed(words.dtype), isDtype, leaf => !ofAutocast(leaf)));
  const weights: Rows = dtype ? { loadDtype: rowAt(dtype, WHAT_WEIGHTS) } : {};
  const stated = rowsByFlag(finder) ?? rowsByWord(finder) ?? rowsByAutocast(finder);
  if (stated === 'several') return weights;
  if (stated) return { ...stated, ...autocast, ...(dtype ? weights : heldInFull) };
  if (!dtype) {
    const isNamedAnywhere = [words.precision, words.amp, words.bf16, words.fp16].some(names =>
      finder.has(isNamed(names)),
    );
    const inFull = { ...emptyRow, ...assumed('fp32', 'the loop says no other precision') };
    return isSilent && !isNamedAnywhere ? { precision: inFull, ...autocast, ...heldInFull } : {};
  }
  const precision = {
    ...rowAt(dtype, `${WHAT}: no other key speaks of it`),
    map: [
      ['/bfloat16|bf16/', 'bf16'],
      ['/float16|fp16|half/', 'fp16'],
      ['/float32|fp32/', 'fp32'],
    ] as const,
  };
  return { ...weights, precision };
}

/** `amp: {dtype: bf16}`: what autocast computes in. */
const ofAutocast: Test = ({ sections: [section = ''] }) => words.amp.test(section);

const fits = (result: ReturnType<typeof dtypeWord>): boolean => result !== null && 'ok' in result;

/** `bf16: true`, `fp16: true`; both together are a contradiction. */
function rowsByFlag(finder: Finder): Rows | 'several' | null {
  const bf16 = finder.one(isNamed(words.bf16), isTrue);
  const fp16 = finder.one(isNamed(words.fp16), isTrue);
  if (bf16 && fp16) return 'several';
  const leaf = only(bf16 ?? fp16);
  if (leaf) return { precision: flagged(leaf, bf16 ? 'bf16-mixed' : 'fp16-mixed') };
  const off = finder.all(isFlag, ({ name }) => words.bf16.test(name) || words.fp16.test(name));
  const [first] = off;
  // Both are present and off.
  return first && off.length > 1 ? { precision: flagged(first, 'bf16-mixed') } : null;
}

const flagged = (leaf: Leaf, on: string): DefinedRow => ({
  ...rowAt(leaf, WHAT),
  map: [
    ['true', on],
    ['false', 'fp32'],
  ],
});

/** `precision: 16-mixed`, `mixed_precision: bf16`; not `precision: high`, which is about matrix products. */
function rowsByWord(finder: Finder): Rows | 'several' | null {
  const isPrecision: Test = ({ value }) => {
    if (typeof value !== 'string' && typeof value !== 'number') return false;
    return fits(readers.precision(value) as ReturnType<typeof dtypeWord>);
  };
  // That in which quantized weights are multiplied is the precision only where nothing else is.
  const ofWeights: Test = ({ sections: [section = ''] }) => !words.quantizationSection.test(section);
  const leaf =
    finder.one(isNamed(words.precision), isPrecision, ofWeights) ??
    finder.one(isNamed(words.precision), isPrecision);
  if (leaf === 'several') return 'several';
  return leaf && { precision: rowAt(leaf, WHAT) };
}

/** Only `amp: true`: autocast then uses fp16. */
function rowsByAutocast(finder: Finder): Rows | null {
  const isOff = finder.has(
    leaf => words.amp.test(leaf.name) || (ofAutocast(leaf) && /^(?:use|enabled?)$/.test(leaf.name)),
    ({ value }) => value === false || value === 0,
  );
  const dtype = isOff ? null : only(finder.one(isNamed(words.dtype), isWord, ofAutocast));
  if (dtype) return { precision: { ...rowAt(dtype, WHAT), map: MIXED } };
  const leaf = only(finder.one(isNamed(words.amp), isFlag));
  return leaf && { precision: flagged(leaf, 'fp16-mixed') };
}

const MIXED = [
  ['/bfloat16|bf16/', 'bf16-mixed'],
  ['/float16|fp16|half/', 'fp16-mixed'],
] as const;

const autocast: Rows = {
  autocast: {
    ...emptyRow,
    of: 'precision',
    map: [
      ['/-mixed$/', true],
      ['/./', false],
    ],
  },
};

const heldInFull: Rows = {
  loadDtype: {
    ...emptyRow,
    of: 'precision',
    map: [
      ['/-mixed$|^fp32$/', 'fp32'],
      ['bf16', 'bf16'],
      ['fp16', 'fp16'],
    ],
  },
};

import { phrase } from '../../text/say';
import { emptyRow } from '../defined/definition';
import type { DefinedRow } from '../defined/definition';
import { rowAt } from './batches';
import { isCount, isTrue, isNamed, isNamedIn, only } from './finder';
import type { Finder, Test } from './finder';
import { plainName } from './leaves';
import type { Leaf } from './leaves';
import { words } from './vocabulary';
import type { YamlNode } from '../../yaml/node';

type Rows = Record<string, DefinedRow>;

/** A switch of the section that it stands in. */
const IN_SECTION = /^enabled?$/;

/** The trained parts: adapters with their settings, or the whole model; and the bits of the base. */
export function adapterRows(finder: Finder, complete: boolean): Rows {
  const off = switchedOff(finder);
  const rank = rankIn(finder);
  const bits = bitsIn(finder);
  if (rank === 'several') return { ...bits, ...unknownMethod(finder, off !== null) };
  if (rank && !off) return { ...settings(finder, rank), ...bits };
  const [setting] = off
    ? []
    : finder.all(isNamed(words.ofAdapters), ({ value, node }) => node.kind === 'sequence' || isSet(value));
  if (setting) return { method: methodRow(finder, setting, 'a setting of adapters'), ...bits };
  const [on] = off ? [] : finder.all(isNamed(words.noAdapters), isTrue, ({ name }) => !IN_SECTION.test(name));
  if (on) return { method: methodRow(finder, on, 'adapters are switched on'), ...bits };
  const mentioned = unknownMethod(finder, off !== null);
  if (mentioned.method) return { ...bits, ...mentioned };
  const frozen = finder.has(({ name, value }) => words.frozen.test(name) && value !== false && value !== 0);
  if (off && !frozen) {
    return { method: { ...rowAt(off, 'adapters are off'), map: [['/^(?:false|0)$/', 'full']] }, ...bits };
  }
  if (frozen || !complete) return bits;
  return {
    method: { ...emptyRow, assumed: { value: 'full', source: 'no key for adapters or frozen layers' } },
  };
}

/** What says that there are no adapters: a switch, or a rank of 0. */
function switchedOff(finder: Finder): Leaf | null {
  const isRank: Test = leaf =>
    isNamed(words.rank)(leaf) || isNamedIn(words.loraSection, words.rankInSection)(leaf);
  const [without] = finder.all(isRank, ({ value }) => value === 0);
  const [off = without ?? null] = finder.all(({ name, sections, value }) => {
    const isOfAdapters = words.loraSection.test(sections[0] ?? '') || !IN_SECTION.test(name);
    return value === false && words.noAdapters.test(name) && isOfAdapters;
  });
  return off;
}

const rankIn = (finder: Finder): Leaf | 'several' | null =>
  finder.one(isNamed(words.rank), isCount) ??
  finder.one(isNamedIn(words.loraSection, words.rankInSection), isCount) ??
  finder.one(isNamed(words.rankInSection), isCount, besideAdapters(finder));

/** `rank: 32` beside `lora_target_modules`, or beside `use_peft: true`. */
const besideAdapters = (finder: Finder): Test => {
  const ons = finder.all(isNamed(words.noAdapters), isTrue, ({ name }) => !IN_SECTION.test(name));
  const sections = [...finder.all(isNamed(words.ofAdapters)), ...ons].map(({ key }) => sectionOf(key));
  return ({ key }) => sections.includes(sectionOf(key));
};

/** A key that means adapters, in a way that is not known: what is trained is open, whatever the default. */
function unknownMethod(finder: Finder, off: boolean): { readonly method?: DefinedRow } {
  const [leaf] = off ? [] : finder.all(meansAdapters);
  if (!leaf) return {};
  const row = methodRow(finder, leaf, 'adapters');
  return { method: { ...row, doubt: 'names adapters, but not what is trained' } };
}

/** A key or a section that is called like adapters, or chooses them by its value; also inside lists. */
const meansAdapters: Test = ({ name, sections, value, node }) => {
  if (node.kind === 'sequence' ? node.items.length === 0 : !isOn(value)) return false;
  const named = [name, ...sections.filter(section => !words.launcherSection.test(section))];
  if (named.some(namesAdapters)) return true;
  if (node.kind === 'sequence') return node.items.some(item => holdsAdapters(item, 0));
  return words.choosesTraining.test(name) && words.tunesAdapters.test(String(value));
};

const namesAdapters = (name: string): boolean =>
  words.tellsAdapters.test(name) && !words.otherAdapters.test(name);

const DEEPEST = 4;

function holdsAdapters(node: YamlNode, depth: number): boolean {
  if (depth > DEEPEST) return false;
  if (node.kind === 'sequence') return node.items.some(item => holdsAdapters(item, depth + 1));
  if (node.kind !== 'map') return false;
  return node.entries.some(
    ({ key, value }) => namesAdapters(plainName(key)) || holdsAdapters(value, depth + 1),
  );
}

/** Neither empty nor switched off by a word. */
const isOn = (value: Leaf['value']): boolean =>
  isSet(value) && value !== 0 && !/^(?:none|null|no|off|false|full)$/i.test(String(value));

function settings(finder: Finder, rank: Leaf): Rows {
  const inSameSection = (pattern: RegExp): Leaf | null =>
    only(finder.one(isNamed(pattern), ({ key }) => sectionOf(key) === sectionOf(rank.key)));
  const rows: Rows = {
    method: methodRow(finder, rank, 'the rank of adapters'),
    'lora.r': rowAt(rank, 'the rank of adapters'),
  };
  const alpha = inSameSection(words.alpha);
  const dropout = inSameSection(words.dropout);
  const targets = inSameSection(words.targets);
  if (alpha) rows['lora.alpha'] = rowAt(alpha, 'the scale of adapters');
  if (dropout) rows['lora.dropout'] = rowAt(dropout, 'the dropout of adapters');
  if (targets) rows['lora.targets'] = rowAt(targets, 'the modules with adapters');
  return rows;
}

function methodRow(finder: Finder, leaf: Leaf, what: string): DefinedRow {
  const method = isFourBits(finder) ? 'qlora' : 'lora';
  return { ...rowAt(leaf, `${what}: what is trained is ${method}`), map: [['/./', method]] };
}

const isSet = (value: Leaf['value']): boolean => value !== null && value !== false && value !== '';

const sectionOf = (key: string): string => key.slice(0, Math.max(0, key.lastIndexOf('.')));

/** `quantization: {enabled: false, bits: 4}` quantizes nothing. */
const isSwitchedOff = (finder: Finder): boolean =>
  finder.has(isNamedIn(words.quantizationSection, /^(?:use_?)?enabled?$/), ({ value }) => value === false);

const isFourBits = (finder: Finder): boolean =>
  finder.has(isNamed(words.fourBits), isTrue) ||
  Number(countedBits(finder)?.value) === 4 ||
  finder.has(isNamed(words.quantizes), isIn(words.inFourBits));

/** Bits in a section of quantization; anywhere beside settings of bitsandbytes. */
function countedBits(finder: Finder): Leaf | null {
  if (isSwitchedOff(finder)) return null;
  const isBeside = finder.has(({ name }) => name.startsWith('bnb_'));
  const here = isBeside ? isNamed(words.bits) : isNamedIn(words.quantizationSection, words.bits);
  return only(finder.one(here, isCount));
}

/** `quantization: 4-bit`. */
const isIn =
  (pattern: RegExp): Test =>
  ({ value }) =>
    value !== null && pattern.test(String(value));

const UNQUANTIZED = {
  assumed: { value: null, source: 'no key asks for quantized weights' },
} as const;

/** `load_in_4bit: true`, `quantization: {bits: 4}`. */
function bitsIn(finder: Finder): Rows {
  const what = phrase`the bits of the base weights`;
  const off = isSwitchedOff(finder);
  const counted = countedBits(finder);
  if (counted) return { 'quantization.bits': rowAt(counted, what) };
  for (const [pattern, called, bits] of [
    [words.fourBits, words.inFourBits, 4],
    [words.eightBits, words.inEightBits, 8],
  ] as const) {
    const word = only(finder.one(isNamed(words.quantizes), isIn(called)));
    if (word) return { 'quantization.bits': { ...rowAt(word, what), map: [[String(word.value), bits]] } };
    const leaf = only(finder.one(isNamed(pattern), isTrue));
    const map = [
      ['true', bits],
      ['false', null],
    ] as const;
    if (leaf) return { 'quantization.bits': { ...rowAt(leaf, what), map, ...UNQUANTIZED } };
  }
  const isRequested = finder.has(({ name, sections, value }) => {
    if (off && words.quantizationSection.test(sections[0] ?? '')) return false;
    return value !== false && value !== null && [name, ...sections].some(one => words.quantized.test(one));
  });
  return isRequested ? {} : { 'quantization.bits': { ...emptyRow, ...UNQUANTIZED } };
}

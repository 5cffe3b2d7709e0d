import { phrase } from '../../text/say';
import type { ScalarValue, YamlNode } from '../../yaml/node';
import { entryOf, resolve } from '../../yaml/path';
import { readers } from '../defined/words';
import type { DefinedRow } from '../defined/definition';
import { items } from '../shared/vision';
import { rowAt } from './batches';
import { isCount, isNamed, isNamedIn, only } from './finder';
import type { Finder, Test } from './finder';
import type { Leaf } from './leaves';
import { words } from './vocabulary';

type Rows = Record<string, DefinedRow>;

const PIXELS = phrase`the pixels of an image`;

/** The size of images: by its name, by its two sides, or by the last step of the training data that sets one. */
export function image(finder: Finder): Rows {
  const sized: Test = leaf =>
    (leaf.node.kind === 'sequence' || isSide(leaf.value) || isPair(leaf.value)) &&
    !isOfModel(leaf.name, leaf.sections) &&
    !isOfRows(finder, leaf);
  const leaf = only(
    finder.one(isNamed(words.image), sized) ??
      finder.one(isNamedIn(words.dataSection, words.sizeOfData), sized, isNoStep),
  );
  if (leaf && readers.size(plainSide(leaf))) return { imageSize: rowAt(leaf, PIXELS) };
  const found = leaf === null ? (sidesIn(finder) ?? lastStep(finder) ?? stepIn(finder)) : null;
  return found ? { imageSize: { ...rowAt(found.leaf, PIXELS), value: { is: found.size } } } : {};
}

/**
 * `train_size: 3000` beside `eval_size: 400` counts rows, and `crop_size` beside `max_length` in one section crops
 * sequences.
 */
function isOfRows(finder: Finder, { name, sections, value }: Leaf): boolean {
  const section = sections.join('.');
  const beside = (names: RegExp, isOther: Test): boolean =>
    finder.has(isNamed(names), isCount, isOther, other => other.sections.join('.') === section);
  if (/^train_?size$/.test(name)) return beside(OF_EVALUATION, other => other.value !== value);
  return name === 'crop_size' && [words.length, words.otherLength].some(names => beside(names, () => true));
}

const OF_EVALUATION = /^(?:eval(?:uation)?|va?l(?:id(?:ation)?)?|test|dev)_?size$/;

/** A step of a list has its own size. */
const isNoStep: Test = ({ key }) => !key.includes('[');

/** Arguments of a model's class are sizes of its latents, and its input is as wide as its vectors are: no pixels of images. */
const isOfModel = (name: string, sections: readonly string[]): boolean =>
  (name === 'input_size' || sections.includes('params')) &&
  sections.some(section => words.modelSection.test(section));

const SMALLEST_SIDE = 16;
const LARGEST_SIDE = 8192;

const isSide = (value: ScalarValue): value is number =>
  typeof value === 'number' && value >= SMALLEST_SIDE && value <= LARGEST_SIDE;

/** `(512, 512)`, which is text in YAML. */
const isPair = (value: ScalarValue): boolean =>
  typeof value === 'string' &&
  items(value)?.length === 2 &&
  (items(value) ?? []).every(one => isSide(one as ScalarValue));

export const plainSide = ({ node, value }: Leaf): ScalarValue | readonly ScalarValue[] =>
  node.kind === 'scalar' ? value : node.items.map(item => (item.kind === 'scalar' ? item.value : null));

interface Sized {
  readonly leaf: Leaf;
  readonly size: readonly [width: number, height: number];
}

/** `crop_h` with `crop_w` beside it. */
function sidesIn(finder: Finder): Sized | null {
  const leaf = only(
    finder.one(isNamed(words.imageHeight), ({ value }) => isSide(value)) ??
      finder.one(isNamedIn(words.dataSection, /^height$/), ({ value }) => isSide(value)),
  );
  if (leaf === null || !isSide(leaf.value)) return null;
  const wide = leaf.name.replace(/h(?:eight)?$/, word => (word === 'h' ? 'w' : 'width'));
  const [width] = finder.all(
    ({ name, sections }) => name === wide && sections.join('.') === leaf.sections.join('.'),
  );
  return width && isSide(width.value) ? { leaf, size: [width.value, leaf.value] } : null;
}

const STEPS = /^(?:\w+_)?(?:transforms?(?:_list)?|augment(?:ation|er)?s?|pipeline)$/;
/** Steps of torchvision and Albumentations that decide how large an image is. */
const SIZING =
  /(?:^|\.)(?:(?:Random|Center)?(?:Resized|Sized)?Crop|RandomResizedCrop|RandomSizedBBoxSafeCrop|Resize)$/;
const NAMES = ['_target_', 'class_path', '__class_fullname__', 'type', 'name'];
const ARGUMENTS = ['init_args', 'args', 'params', 'kwargs'];

/** The last step of the training data that sets the size of an image, if all lists of steps agree. */
function lastStep(finder: Finder): Sized | null {
  const found = finder
    .all(({ place, name, node }) => place === 'training' && node.kind === 'sequence' && STEPS.test(name))
    .filter(({ name, sections }) => ![name, ...sections].some(each => words.sectionOfEvaluation.test(each)))
    .flatMap(leaf => {
      const size = leaf.node.kind === 'sequence' ? leaf.node.items.flatMap(sizeOfStep).at(-1) : undefined;
      return size ? [{ leaf, size }] : [];
    });
  const [first, ...others] = found;
  return first && others.every(({ size }) => String(size) === String(first.size)) ? first : null;
}

/** A step that is a section of its own: `train_transforms: {random_resized_crop: {size: 32}}`. */
function stepIn(finder: Finder): Sized | null {
  const leaf = only(finder.one(isOfStep));
  const [height, width = height] = leaf ? sidesOf(leaf.node) : [];
  return leaf && height !== undefined && width !== undefined ? { leaf, size: [width, height] } : null;
}

const isOfStep: Test = ({ name, sections: [step = '', ...around] }) =>
  words.sizeOfData.test(name) &&
  /^(?:random_|center_)?(?:(?:resized_)?crop|resize)$/.test(step) &&
  around.some(one => STEPS.test(one));

function sizeOfStep(step: YamlNode): readonly Sized['size'][] {
  const of = (section: YamlNode, key: string): YamlNode | null => {
    const at = resolve(section);
    const value = at?.kind === 'map' ? entryOf(at, key)?.value : undefined;
    return value ? resolve(value) : null;
  };
  const isSizing = NAMES.some(key => {
    const name = of(step, key);
    return name?.kind === 'scalar' && SIZING.test(String(name.value));
  });
  if (!isSizing) return [];
  const given = ARGUMENTS.map(key => of(step, key)).find(one => one?.kind === 'map') ?? step;
  const [height, width, size] = ['height', 'width', 'size'].map(key => sidesOf(of(given, key)));
  const sides = height?.[0] !== undefined && width?.[0] !== undefined ? [height[0], width[0]] : (size ?? []);
  const [first, second = first] = sides;
  return first === undefined || second === undefined ? [] : [[second, first]];
}

function sidesOf(node: YamlNode | null): readonly number[] {
  const found = node?.kind === 'sequence' ? node.items.map(one => resolve(one)) : [node];
  return found.flatMap(one => (one?.kind === 'scalar' && isSide(one.value) ? [one.value] : []));
}

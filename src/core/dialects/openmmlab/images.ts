import type { RunReader } from '../engine/runReader';
import type { Quantity } from '../../spec/quantity';
import { pixels } from '../shared/vision';
import type { Size } from '../shared/vision';
import type { Plain } from '../../yaml/scalars';

/** Where the steps of the training data stand, in configs of all releases. */
const PIPELINES = [
  'data.train.pipeline',
  'data.train.dataset.pipeline',
  'data.train.dataset.dataset.pipeline',
  'train_dataloader.dataset.dataset.dataset.pipeline',
  'train_dataloader.dataset.dataset.pipeline',
  'train_dataloader.dataset.pipeline',
  'train_pipeline',
];

/** Sizes that a model is given for all its images. */
const OF_MODEL = ['model.data_preprocessor.size', 'model.data_preprocessor.batch_augments[0].size'];

/** Steps that decide the size of an image, with their arguments: the last one counts. */
const STEPS: readonly (readonly [type: RegExp, order: 'hw' | 'wh', keys: readonly string[]])[] = [
  [/Crop/, 'hw', ['crop_size', 'scale', 'size']],
  [/Resize|Mosaic|RandomAffine/, 'wh', ['scale', 'img_scale', 'scales', 'size']],
  [/Affine/, 'wh', ['input_size']],
  [/^Pad$/, 'hw', ['size']],
];

const MOST_STEPS = 30;
/** Images have more pixels than this, counts of 32 pixels less. */
const LEAST_SIDE = 64;

/** Sizes between which batches are resized as a whole (BatchSyncRandomResize; `random_size_range` of YOLOX before 3.0). */
const OF_BATCHES = [
  'model.data_preprocessor.batch_augments[0].random_size_range[1]',
  'model.random_size_range[1]',
];

/** The largest size that batches are resized to, what the steps of the training data make of an image, else the model's own. */
export function trainedSize(run: RunReader): Quantity<Size> {
  for (const key of OF_BATCHES) {
    const side = run.count(key);
    // Older releases count in 32 pixels.
    const pixels32 = side !== null && side < LEAST_SIDE ? 32 * side : side;
    if (pixels32 !== null) return run.at(key, [pixels32, pixels32]);
  }
  const pipeline = PIPELINES.find(key => run.has(`${key}[0].type`) || run.has(key));
  const found = pipeline === undefined ? null : lastStep(run, pipeline);
  if (found) return run.at(found.key, found.size);
  for (const key of OF_MODEL) {
    const size = run.read(key, pixels('hw'));
    if (size !== null) return run.at(key, size);
  }
  // The last is that of mmpose before 1.0 (datasets/pipelines/top_down_transform.py).
  for (const key of ['codec.input_size', 'data.train.data_cfg.image_size', 'data_cfg.image_size']) {
    const size = run.read(key, pixels('wh'));
    if (size !== null) return run.at(key, size);
  }
  return run.unknown('No step of the training data says the size of its images.');
}

interface Sized {
  readonly key: string;
  readonly size: Size;
}

function lastStep(run: RunReader, pipeline: string): Sized | null {
  let last: Sized | null = null;
  for (let step = 0; step < MOST_STEPS; step++) {
    const at = `${pipeline}[${step}]`;
    const type = run.word(`${at}.type`);
    if (type === null && !run.has(at)) break;
    const own = type === null ? null : sizeOfStep(run, at, type);
    if (own) last = own;
  }
  return last;
}

function sizeOfStep(run: RunReader, at: string, type: string): Sized | null {
  if (type === 'RandomChoice') {
    const sizes = nested(run.value(`${at}.transforms`)).toSorted(byArea);
    const [size] = sizes;
    return size ? { key: `${at}.transforms`, size } : null;
  }
  const [, order, keys] = STEPS.find(([words]) => words.test(type)) ?? [];
  if (order === undefined) return null;
  for (const key of keys ?? []) {
    const full = `${at}.${key}`;
    const size = run.has(full) ? largest(run.value(full), order) : null;
    if (size) return { key: full, size };
  }
  return null;
}

/** A size, or the largest of several: images of a batch are padded to it. */
function largest(value: Plain, order: 'hw' | 'wh'): Size | null {
  const list = Array.isArray(value) ? (value as readonly Plain[]) : null;
  if (list?.some(one => Array.isArray(one)) === true) {
    return list.flatMap(one => listed(largest(one, order))).toSorted(byArea)[0] ?? null;
  }
  const read = pixels(order)(value);
  return read && 'ok' in read ? read.ok : null;
}

const listed = (size: Size | null): readonly Size[] => (size ? [size] : []);

const byArea = (a: Size, b: Size): number => b[0] * b[1] - a[0] * a[1];

/** Sizes of resizing steps in alternatives; the last step of each counts. */
function nested(value: Plain): readonly Size[] {
  const ways = Array.isArray(value) ? (value as readonly Plain[]) : [];
  return ways.flatMap(way => {
    const steps = (Array.isArray(way) ? way : [way]) as readonly Plain[];
    const sizes = steps.flatMap(step => {
      if (typeof step !== 'object' || step === null || Array.isArray(step)) return [];
      const given = step as Readonly<Record<string, Plain>>;
      const { type } = given;
      if (typeof type !== 'string' || !type.endsWith('Resize')) return [];
      return listed(largest(given['scales'] ?? given['scale'] ?? given['img_scale'] ?? null, 'wh'));
    });
    return listed(sizes.at(-1) ?? null);
  });
}

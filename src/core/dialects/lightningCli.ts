import { builtIn } from './defined/compile';
import type { Dialect, WriterTable } from './dialect';
import type { RunReader } from './engine/runReader';
import file from './lightningCli.yaml';
import { lightningTrainer } from './shared/lightning';
import { lightningSharding } from './shared/lightningStrategy';
import { taskByClass } from './shared/tasks';
import { plainSize } from './shared/vision';
import { refuse } from './shared/writing';
import type { Quantity } from '../spec/quantity';

const PRECISIONS: Readonly<Record<string, string>> = {
  fp32: '32-true',
  'bf16-mixed': 'bf16-mixed',
  'fp16-mixed': '16-mixed',
  bf16: 'bf16-true',
  fp16: '16-true',
};

/**
 * How to write quantities that need more than one plain key in Lightning; `prefix` precedes the Trainer's
 * arguments.
 */
export const lightningWriters = (prefix: string): WriterTable => ({
  precision: to => {
    const value = PRECISIONS[to];
    if (value === undefined) return refuse(`Lightning has no precision ${to}.`);
    return { ok: true, writes: [{ key: `${prefix}precision`, value, near: [`${prefix}devices`] }] };
  },
  precisionRaw: () => refuse('The precision is changed, not its words.'),
  loadDtype: () => refuse('Lightning makes modules in fp32; a true 16-bit precision casts them.'),
  method: () => refuse('What is trained is the module’s own code.'),
  quantization: () => refuse('Quantization is the module’s own code.'),
  offload: () => refuse('Offloading is a strategy of Lightning’s with arguments of its own.'),
  zeroStage: () => refuse('The stage belongs to a strategy of Lightning’s: set trainer.strategy.'),
  fsdp: () => refuse('Sharding is a strategy of Lightning’s: set trainer.strategy.'),
});

const SIZES = [
  'data.init_args.img_size',
  'data.init_args.image_size',
  'data.init_args.crop_size',
  'data.init_args.patch_size',
  'model.init_args.img_size',
] as const;

const TRANSFORMS = 'data.init_args.train_transform';

/** The data module's own size, else that of the last crop or resize in its transforms. */
function imageSize(run: RunReader): Quantity<readonly [number, number]> {
  for (const key of SIZES) {
    const size = run.read(key, plainSize);
    if (size !== null) return run.at(key, size);
  }
  const transforms = run.value(TRANSFORMS);
  const count = Array.isArray(transforms) ? transforms.length : 0;
  for (let i = count - 1; i >= 0; i--) {
    const at = `${TRANSFORMS}[${i}]`;
    const name = run.word(`${at}.class_path`) ?? '';
    if (!/Crop|Resize/.test(name)) continue;
    const [height, width] = ['height', 'width'].map(side => run.count(`${at}.init_args.${side}`));
    if (height && width) return run.at(`${at}.init_args.height`, [height, width]);
    const size = run.read(`${at}.init_args.size`, plainSize);
    if (size !== null) return run.at(`${at}.init_args.size`, size);
  }
  return run.unknown('The size of images is said by the data module.');
}

/** Keys that name classes of a project's own code. */
const CLASSES = ['model.class_path', 'data.class_path', 'model.net.class_path'] as const;

/** Configs of Lightning's CLI; sources are files of Lightning-AI/pytorch-lightning 7f0c343 (2.6). */
export const lightningCli: Dialect = builtIn(file, {
  classKeys: CLASSES,
  quantities: {
    ...lightningTrainer('trainer'),
    ...lightningSharding('trainer.strategy', 'trainer.strategy.init_args'),
    task: run => taskByClass(run, CLASSES),
    imageSize,
    gradientCheckpointing: { read: value => (typeof value === 'boolean' ? { ok: value } : null) },
  },
  writers: lightningWriters('trainer.'),
});

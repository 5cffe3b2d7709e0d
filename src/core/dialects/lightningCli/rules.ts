import type { Quantity } from '../../spec/quantity';
import { word } from '../engine/readers';
import type { ValueReader } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import { plainSize } from '../shared/imageSize';
import { lightningDevices } from '../shared/lightning';
import { strategyWord } from '../shared/lightningStrategy';

const TRAINER = 'lightning trainer/trainer.py L94-97';

/** `gpus` of Lightning 1.x counts like `devices`. */
export function devices(run: RunReader): Quantity<number | 'auto'> {
  for (const key of ['trainer.devices', 'trainer.gpus']) {
    const stated = run.read(key, lightningDevices);
    if (stated !== null) return run.at(key, stated);
  }
  return run.byDefault('auto', `${TRAINER}: all GPUs; LightningCLI’s trainer_defaults may say otherwise`);
}

const DISTRIBUTED = /^(?:ddp|dp|ddp2|ddp_spawn|ddp_sharded)$/;

/** Lightning 1.x accepted `accelerator: ddp`, which is now a strategy. */
export function accelerator(run: RunReader): Quantity<string> {
  const stated = run.word('trainer.accelerator');
  if (stated === null) return run.byDefault('auto', TRAINER);
  return DISTRIBUTED.test(stated)
    ? run.at('trainer.accelerator', 'gpu')
    : run.at('trainer.accelerator', stated);
}

export function strategy(run: RunReader): Quantity<string> {
  const className = run.word('trainer.strategy.class_path');
  if (className !== null) return run.at('trainer.strategy.class_path', strategyWord(className));
  const stated = run.word('trainer.strategy');
  if (stated !== null) return run.at('trainer.strategy', stated);
  const old = run.word('trainer.accelerator');
  if (old !== null && DISTRIBUTED.test(old)) return run.at('trainer.accelerator', old);
  return run.byDefault('auto', TRAINER);
}

/** If the CLI gets no optimizer, the module creates one. */
export function optimizer(run: RunReader): Quantity<string> {
  for (const key of [
    'optimizer.class_path',
    'model.init_args.optimizer.class_path',
    'model.init_args.optimizer',
  ]) {
    const stated = run.read(key, onlyWord);
    if (stated !== null) return run.at(key, stated);
  }
  return run.unknown('configure_optimizers of the project’s own module makes the optimizer.');
}

const onlyWord: ValueReader<string> = value => (typeof value === 'string' ? word(value) : null);

const SIZES = [
  'data.init_args.img_size',
  'data.init_args.image_size',
  'data.init_args.crop_size',
  'data.init_args.patch_size',
  'model.init_args.img_size',
] as const;

const TRANSFORMS = 'data.init_args.train_transform';

/** The data module's own size, else that of the last crop or resize in its transforms. */
export function imageSize(run: RunReader): Quantity<readonly [number, number]> {
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

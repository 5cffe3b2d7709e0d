import { builtIn } from './defined/compile';
import file from './lightningCli.yaml';
import type { Dialect } from './dialect';
import { imageSize, lightningWriters } from './lightningCli/rules';
import { lightningTrainer } from './shared/lightning';
import { lightningSharding } from './shared/lightningStrategy';
import { taskByClass } from './shared/taskByClass';

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

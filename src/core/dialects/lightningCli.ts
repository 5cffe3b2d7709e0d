import { builtIn } from './defined/compile';
import file from './lightningCli.yaml';
import type { Dialect } from './dialect';
import { withPacks } from './engine/packs';
import { accelerator, devices, imageSize, optimizer, strategy } from './lightningCli/rules';
import { lightningCliWriters } from './lightningCli/writers';
import { packs } from './packs/registry';
import { autocastByPrecision, lightningTrainer } from './shared/lightning';
import { lightningSharding } from './shared/lightningStrategy';
import { taskByClass } from './shared/taskByClass';

/** Keys that name classes of a project's own code. */
const CLASSES = ['model.class_path', 'data.class_path', 'model.net.class_path'] as const;

const general: Dialect = builtIn(file, {
  classKeys: CLASSES,
  quantities: {
    ...lightningTrainer('trainer'),
    ...lightningSharding('trainer.strategy', 'trainer.strategy.init_args'),
    devices,
    accelerator,
    strategy,
    task: run => taskByClass(run, CLASSES),
    imageSize,
    optimizer,
    loadDtype: run => {
      const precision = run.get('precision').value;
      if (precision === 'bf16' || precision === 'fp16') {
        return run.derived(precision, ['precision'], 'true 16-bit precision casts the module');
      }
      return run.byDefault('fp32', 'torch: modules are made in fp32');
    },
    gradientCheckpointing: { read: value => (typeof value === 'boolean' ? { ok: value } : null) },
  },
  details: {
    autocast: autocastByPrecision,
  },
  writers: lightningCliWriters,
});

/** Configs of Lightning's CLI; sources are files of Lightning-AI/pytorch-lightning 7f0c343 (2.6). */
export const lightningCli: Dialect = withPacks(general, packs);

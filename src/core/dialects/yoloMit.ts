import { builtIn } from './defined/compile';
import file from './yoloMit.yaml';
import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import { hydraTree } from './engine/hydra/composer';
import type { RunReader } from './engine/runReader';
import { autocastByPrecision, lightningDevices } from './shared/lightning';
import { averagedBy, pixels } from './shared/vision';

const SOURCE = 'yolo/config/general.yaml';

/** The batch that an optimizer step stands for, and the key that says it. */
function equivalent(run: RunReader): { readonly count: number | null; readonly key: string } {
  const keys = ['data', 'task.data'].map(at => `${at}.equivalent_batch_size`);
  const key = keys.find(one => run.has(one)) ?? '';
  return { count: key === '' ? null : run.count(key), key };
}

/** yolo/utils/model_utils.py L71: gathered up to the equivalent batch, over all processes. */
function gradAccum(run: RunReader): Quantity<number> {
  const micro = run.get('microBatchSize').value;
  const { count: wanted } = equivalent(run);
  if (micro === null || wanted === null) {
    return run.unknown('equivalent_batch_size or batch_size is not set.');
  }
  const gpus = run.get('gpus').value ?? 1;
  const steps = Math.max(1, Math.round(wanted / (micro * gpus)));
  return run.derived(steps, ['microBatchSize', 'gpus'], `${wanted} ÷ (${micro} × ${gpus} GPUs), rounded`);
}

/** MultimediaTechLab/YOLO c4cb5f6. */
export const yoloMit: Dialect = builtIn(file, {
  quantities: {
    gradAccum,
    effectiveBatch: run => {
      const { count: wanted, key } = equivalent(run);
      return wanted === null
        ? run.unknown('equivalent_batch_size is not set.')
        : run.derived(wanted, [key], 'batches are gathered up to it, over all processes');
    },
    imageSize: { read: pixels('wh'), absent: { value: [640, 640], source: SOURCE } },
    devices: { read: lightningDevices },
  },
  details: {
    autocast: autocastByPrecision,
    averagedWeights: averagedBy('ema.enable', 'task.ema.enable'),
  },
  compose: hydraTree,
});

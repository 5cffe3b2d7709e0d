import { builtIn } from './defined/compile';
import file from './yacsSlowfast.yaml';
import type { Dialect } from './dialect';
import { withBases } from './engine/bases';
import { autocastByPrecision } from './shared/lightning';
import { ampRow, pixels, rawRow } from './shared/vision';

const SOURCE = 'slowfast/config/defaults.py';

/** SlowFast and MViT; sources are files of facebookresearch/SlowFast 287ec00. A batch is that of one machine. */
export const yacsSlowfast: Dialect = builtIn(file, {
  quantities: {
    microBatchSize: run => {
      const batch = run.count('TRAIN.BATCH_SIZE') ?? 64;
      const gpus = run.get('devices').value;
      if (typeof gpus !== 'number') return run.unknown('NUM_GPUS is not known.');
      return run.derived(
        Math.max(1, Math.floor(batch / Math.max(gpus, 1))),
        ['TRAIN.BATCH_SIZE', 'devices'],
        `${batch} a machine ÷ ${gpus} GPUs`,
      );
    },
    evalBatchSize: run => {
      const batch = run.count('TEST.BATCH_SIZE') ?? 8;
      const gpus = run.get('devices').value;
      if (typeof gpus !== 'number') return run.unknown('NUM_GPUS is not known.');
      const share = Math.max(1, Math.floor(batch / Math.max(gpus, 1)));
      return run.derived(share, ['TEST.BATCH_SIZE', 'devices'], `${batch} a machine ÷ ${gpus} GPUs`);
    },
    imageSize: { read: pixels('hw'), absent: { value: [224, 224], source: SOURCE } },
    precision: ampRow('TRAIN.MIXED_PRECISION', false, SOURCE),
    precisionRaw: rawRow('TRAIN.MIXED_PRECISION'),
  },
  details: {
    autocast: autocastByPrecision,
    frames: run => {
      const frames = run.count('DATA.NUM_FRAMES');
      return frames === null ? run.byDefault(8, SOURCE) : run.at('DATA.NUM_FRAMES', frames);
    },
  },
  writers: {
    microBatchSize: (to, run) => {
      const gpus = run.get('devices').value;
      if (typeof gpus !== 'number') return { ok: false, why: 'NUM_GPUS is not known.' };
      return { ok: true, writes: [{ key: 'TRAIN.BATCH_SIZE', value: to * Math.max(gpus, 1) }] };
    },
  },
  compose: withBases({ keys: ['_BASE_'] }),
});

import { builtIn } from './defined/compile';
import file from './pytorch3dunet.yaml';
import type { Dialect } from './dialect';
import { items, pixels } from './shared/vision';

/** pytorch-3dunet; sources are lines of wolny/pytorch-3dunet a33e2c7. */
export const pytorch3dunet: Dialect = builtIn(file, {
  quantities: {
    task: run => {
      if (!run.has('trainer')) return run.byCode('infer', 'predict3dunet: no trainer');
      const planes = items(run.value('loaders.train.slice_builder.patch_shape'))?.[0] === 1;
      return run.byCode(planes ? 'segmentation' : '3d_segmentation', 'pytorch3dunet/train.py');
    },
    imageSize: { read: pixels('hw') },
  },
});

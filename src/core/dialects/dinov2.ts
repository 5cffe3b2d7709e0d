import { builtIn } from './defined/compile';
import file from './dinov2.yaml';
import type { Dialect } from './dialect';
import { largestSquare, mixedWord } from './shared/vision';

const SOURCE = 'dinov2/configs/ssl_default_config.yaml';

const DTYPE = 'compute_precision.student.backbone.mixed_precision.param_dtype';

/** DINOv2; sources are files of facebookresearch/dinov2 b8931f7. */
export const dinov2: Dialect = builtIn(file, {
  quantities: {
    imageSize: { read: largestSquare, absent: { value: [224, 224], source: SOURCE } },
    precision: { read: mixedWord },
    precisionRaw: run => {
      const dtype = run.word(DTYPE);
      return dtype === null
        ? run.byDefault('compute_precision.*.mixed_precision.param_dtype fp16', SOURCE)
        : run.at(DTYPE, `${DTYPE} ${dtype}`);
    },
    fsdp: run =>
      run.byDefault(
        { version: 1, strategy: 'SHARD_GRAD_OP', offloadParams: false, activationCheckpointing: false },
        SOURCE,
      ),
  },
});

import { builtIn } from './defined/compile';
import file from './guideEmbedding.yaml';
import type { Dialect } from './dialect';
import type { ValueReader } from './engine/readers';

const GUIDE = 'embedding-batch guide';

/** The embedder takes one device string (the guide: “Current Limitation”); `cuda` is all GPUs, by DataParallel. */
const oneDevice: ValueReader<number | 'auto'> = value => {
  if (value === 'cuda') return { ok: 'auto' };
  if (value === 'cpu') return { ok: 0 };
  if (typeof value === 'string' && /^cuda:\d+$/.test(value)) return { ok: 1 };
  return typeof value === 'string'
    ? { unfit: 'is not cuda, cuda:N or cpu, the device strings that are implemented' }
    : null;
};

/** The config of the embedding-batch guide: papers are imported, and embedded on the way. */
export const guideEmbedding: Dialect = builtIn(file, {
  quantities: {
    model: {
      absent: run => run.byCode('jinaai/jina-embeddings-v4', `${GUIDE}: batch sizes are those of Jina v4`),
    },
    devices: { read: oneDevice },
    accelerator: run => {
      const device = run.word('embeddings.device');
      if (device === null) return run.unknown('embeddings.device is not set.');
      return run.at('embeddings.device', device.split(':')[0] ?? device);
    },
  },
});

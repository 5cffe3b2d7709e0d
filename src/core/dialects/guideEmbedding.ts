import { builtIn } from './defined/compile';
import type { Dialect } from './dialect';
import { passedBatchWrites } from './embeddings';
import { word } from './engine/readers';
import type { ValueReader } from './engine/readers';
import file from './guideEmbedding.yaml';
import { dtypeWord } from './shared/words';

/**
 * The embedder takes one device string (the guide: “Current Limitation”); `cuda` means all GPUs, by DataParallel.
 */
const oneDevice: ValueReader<number | 'auto'> = value => {
  if (value === 'cuda') return { ok: 'auto' };
  if (value === 'cpu') return { ok: 0 };
  if (typeof value === 'string' && /^cuda:\d+$/.test(value)) return { ok: 1 };
  return typeof value === 'string'
    ? { unfit: 'is not cuda, cuda:N or cpu, the device strings that are implemented' }
    : null;
};

/** The config of the embedding-batch guide, which imports papers and embeds them on the way. */
export const guideEmbedding: Dialect = builtIn(file, {
  quantities: {
    model: {
      keys: ['embeddings.model', 'embeddings.model_name'],
      read: word,
      // Only the importer identifies the guide; a device and a batch size alone are too common.
      absent: run =>
        run.has('import.embedding_batch_size')
          ? run.byCode('jinaai/jina-embeddings-v4', 'embedding-batch guide: batch sizes are those of Jina v4')
          : run.unknown('No key names the model.'),
    },
    // The weights take 7.3 or 14.7 GB: neither default is better. The user can state the dtype here.
    loadDtype: {
      keys: ['embeddings.dtype', 'embeddings.torch_dtype'],
      read: dtypeWord,
      absent: run => run.unknown('The guide’s program decides it; `embeddings.dtype` would say it.'),
    },
    devices: { keys: ['embeddings.device'], read: oneDevice },
    accelerator: run => {
      const device = run.word('embeddings.device');
      if (device === null) return run.unknown('embeddings.device is not set.');
      return run.at('embeddings.device', device.split(':')[0] ?? device);
    },
  },
  writers: {
    microBatchSize: (to, run) => ({
      ok: true,
      writes: [
        { key: 'embeddings.batch_size', value: to, near: ['embeddings.device'] },
        ...passedBatchWrites(to, run),
      ],
    }),
  },
});

import type { Dialect } from './dialect';
import { count, word } from './engine/readers';
import type { ValueReader } from './engine/readers';
import { embeddingsLogs } from './embeddings/output';
import { dtypeWord } from './shared/words';

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
export const guideEmbedding: Dialect = {
  id: 'guide-embedding',
  title: 'Embedding-guide',
  role: 'run',
  framework: { name: 'embedding-batch-guide', version: '1' },
  loader: 'pyyaml',
  signature: {
    strong: ['import.embedding_batch_size'],
    medium: ['embeddings.batch_size', 'embeddings.device', 'import.batch_size'],
    weak: [],
    // Pipelines that name their model are read as such.
    against: [
      'trainer.*',
      'optimizer.*',
      'train.*',
      'training.*',
      'embeddings.model',
      'embeddings.model_name',
      'embeddings.api_key',
      'embeddings.provider',
    ],
    needs: ['import.embedding_batch_size'],
    least: 6,
  },
  quantities: {
    model: {
      keys: ['embeddings.model', 'embeddings.model_name'],
      read: word,
      absent: run => run.byCode('jinaai/jina-embeddings-v4', `${GUIDE}: batch sizes are those of Jina v4`),
    },
    task: run => run.byCode('embed', `${GUIDE}: papers are embedded, nothing is trained`),
    method: run => run.none('nothing is trained'),
    microBatchSize: {
      keys: ['embeddings.batch_size'],
      read: count,
      absent: { value: 32, source: `${GUIDE}: GPU batch, default 32` },
      near: ['embeddings.device'],
    },
    gradAccum: run => run.none('nothing is trained'),
    effectiveBatch: run => run.none('nothing is trained'),
    seqLen: { keys: ['embeddings.max_seq_length', 'embeddings.max_length'], read: count },
    precision: run => run.unknown('The guide’s program decides it; no key says it.'),
    // 7.3 GB of weights or 14.7: no default is as good as either. Who knows what the program does can say it here.
    loadDtype: {
      keys: ['embeddings.dtype', 'embeddings.torch_dtype'],
      read: dtypeWord,
      absent: run => run.unknown('The guide’s program decides it; `embeddings.dtype` would say it.'),
    },
    quantization: run => run.none('nothing asks for quantised weights'),
    optimizer: run => run.none('nothing is trained'),
    gradientCheckpointing: run => run.none('nothing is trained'),
    lora: run => run.none('nothing is trained'),
    zeroStage: run => run.none('nothing is trained'),
    fsdp: run => run.none('nothing is trained'),
    offload: run => run.none('nothing is trained'),
    parallel: run => run.none('DataParallel at most'),
    devices: { keys: ['embeddings.device'], read: oneDevice },
    accelerator: run => {
      const device = run.word('embeddings.device');
      if (device === null) return run.unknown('embeddings.device is not set.');
      return run.at('embeddings.device', device.split(':')[0] ?? device);
    },
  },
  details: {
    paddedRows: run => run.byCode(true, `${GUIDE}: texts of a batch differ in length`),
    head: run => run.byCode('base', `${GUIDE}: vectors, no words`),
    kvCache: run => run.byCode(false, `${GUIDE}: one pass`),
  },
  logs: embeddingsLogs,
  help: {
    'embeddings.batch_size': {
      text: 'Papers of one forward pass on the GPU; has to be `import.embedding_batch_size`.',
      byDefault: '32',
    },
    'import.embedding_batch_size': {
      text: 'Papers handed to the embedder at a time; has to be `embeddings.batch_size`.',
    },
    'import.batch_size': {
      text: 'Papers whose metadata is read together, on the CPU; a multiple of the GPU’s batch leaves no partial batches.',
      byDefault: '100',
    },
    'embeddings.device': {
      text: 'One device string. `cuda` is all GPUs by DataParallel; lists like `cuda:0,1` are not implemented.',
      values: ['cuda', 'cuda:0', 'cpu'],
    },
  },
};

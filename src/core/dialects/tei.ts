import type { Dialect } from './dialect';
import { count, oneOf, word } from './engine/readers';
import { servedDtype, servingWriters, untrained } from './shared/serving';

const DTYPES = { float16: 'fp16', float32: 'fp32' } as const;
const SOURCE = 'router/src/main.rs';

/**
 * Text Embeddings Inference, as commands and environments start it: it reads no file; its flags may still stand
 * in one that a program of the user's own hands on. huggingface/text-embeddings-inference 0d124dc, router/src/main.rs.
 */
export const tei: Dialect = {
  id: 'tei',
  title: 'Text Embeddings Inference',
  role: 'run',
  framework: { name: 'tei', version: '1.9.0' },
  loader: 'pyyaml',
  signature: {
    strong: ['max-batch-tokens', 'max-client-batch-size'],
    medium: ['model-id'],
    weak: [],
    against: ['gpu-memory-utilization', 'apiVersion', 'services'],
    needs: ['model-id'],
    least: 6,
  },
  quantities: {
    model: { keys: ['model-id'], read: word },
    task: run => run.byCode('embed', 'text-embeddings-router embeds'),
    // A batch is so many tokens, whatever rows they are in.
    microBatchSize: {
      keys: ['max-batch-tokens'],
      read: count,
      unit: 'tokens',
      absent: run => run.inUnit('tokens', run.byDefault(16384, `${SOURCE} L73: max_batch_tokens`)),
    },
    precision: {
      keys: ['dtype'],
      write: servedDtype,
      read: oneOf<string>(DTYPES),
      absent: { value: 'fp16', source: `${SOURCE}: float16 on GPUs` },
    },
    precisionRaw: { keys: ['dtype'], read: word },
    loadDtype: {
      keys: ['dtype'],
      read: oneOf(DTYPES),
      absent: { value: 'fp16', source: `${SOURCE}: float16 on GPUs` },
    },
    quantization: run => run.none(`${SOURCE}: weights are held as they are computed in`),
    attention: run =>
      run.get('loadDtype').value === 'fp16'
        ? run.derived(
            'flash_attention_2',
            ['loadDtype'],
            'backends/candle/src/lib.rs: in float16, without padding',
          )
        : run.derived('eager', ['loadDtype'], 'backends/candle/src/lib.rs: in float32 rows are padded'),
    ...untrained,
    accelerator: run => run.byCode('cuda', 'the image has no cpu- prefix'),
    strategy: run => run.none('one GPU has the whole model'),
  },
  details: {
    head: run => run.byCode('base', 'pooled vectors are all that is returned'),
    kvCache: run => run.byCode(false, 'texts are embedded in one pass'),
    autocast: run => run.byCode(false, 'weights are held as they are computed in'),
    paddedRows: run =>
      run.derived(run.get('attention').value === 'eager', ['attention'], 'core/src/queue.rs: padded'),
  },
  writers: servingWriters,
  launch: [{ argv: ['text-embeddings-router', '--model-id', '{model}'], source: SOURCE }],
  help: {
    'max-batch-tokens': {
      text: 'Tokens of one pass: the batch that the GPU sees. Activations grow with it.',
      byDefault: '16384',
    },
    'max-client-batch-size': { text: 'Texts in one request. Takes no memory of the GPU.', byDefault: '32' },
  },
};

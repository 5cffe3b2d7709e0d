import { builtIn } from './defined/compile';
import file from './tei.yaml';
import type { Dialect } from './dialect';
import { servedDtype, servingWriters } from './shared/serving';
const SOURCE = 'router/src/main.rs';

/** Text Embeddings Inference, as commands and environments start it: it reads no file; its flags may still stand
 * in one that a program of the user's own hands on. huggingface/text-embeddings-inference 0d124dc, router/src/main.rs. */
export const tei: Dialect = builtIn(file, {
  quantities: {
    // A batch is so many tokens, whatever rows they are in.
    microBatchSize: {
      absent: run => run.inUnit('tokens', run.byDefault(16384, `${SOURCE} L73: max_batch_tokens`)),
    },
    precision: { write: servedDtype },
    attention: run =>
      run.get('loadDtype').value === 'fp16'
        ? run.derived(
            'flash_attention_2',
            ['loadDtype'],
            'backends/candle/src/lib.rs: in float16, without padding',
          )
        : run.derived('eager', ['loadDtype'], 'backends/candle/src/lib.rs: in float32 rows are padded'),
  },
  details: {
    paddedRows: run =>
      run.derived(run.get('attention').value === 'eager', ['attention'], 'core/src/queue.rs: padded'),
  },
  writers: servingWriters,
});

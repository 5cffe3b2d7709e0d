import assert from 'node:assert/strict';
import { known } from '../../../src/core/spec/maybe';
import type { Known } from '../../../src/core/spec/maybe';
import { bert } from '../../../src/core/memory/architectures/bert';
import { meanPooling } from '../../../src/core/memory/blocks/loss/contrastive';
import type { Contrast, MemoryRun } from '../../../src/core/memory/run';
import { play } from '../../../src/core/memory/timeline';
import { costOf, memoryRun, modelOf, peakOf, trainedIn } from './support';
import type { RunChanges } from './support';

const WIDTH = 256;
const MODEL = modelOf({
  model_type: 'bert',
  hidden_size: WIDTH,
  intermediate_size: 1024,
  num_hidden_layers: 4,
  num_attention_heads: 4,
  vocab_size: 1024,
  max_position_embeddings: 512,
});

const run = (changes: RunChanges): MemoryRun =>
  memoryRun({ model: MODEL, head: 'base', rows: 8, tokens: 64, ...changes });

const cachedOf = (sentences: number): Known<Contrast> =>
  known({ queries: sentences / 2, passages: sentences / 2, cached: { sentences, scored: 8 } });

describe('memory: embeddings that are compared', () => {
  it('keeps scores of each query by each passage, as log-probabilities', () => {
    const tokens = 16;
    const kept = (queries: number, passages: number): number => {
      const contrast = known({ queries, passages, cached: null });
      const shape = run({ rows: queries + passages, tokens, contrast });
      const elements = (queries + passages) * tokens * WIDTH;
      return costOf((tape, x) => meanPooling(tape, shape, x), { elements, dtype: 'fp32' }).kept;
    };
    // A square of 64 and one of 128 sentences each: besides linear terms, an fp32 score for each pair.
    const growth = kept(128, 128) - 2 * kept(64, 64);
    assert.ok(Math.abs(growth - 4 * (128 ** 2 - 2 * 64 ** 2)) <= 4096, String(growth));
  });

  it('needs for a batch of any size what one part of it needs, and two embeddings of each text', () => {
    const peak = (sentences: number): number =>
      peakOf(play(bert, run({ contrast: cachedOf(sentences) })), 'forward');
    const more = 4096 - 1024;
    assert.equal(peak(4096) - peak(1024), 2 * more * WIDTH * 2);
  });

  it('finds gradients of earlier parts of the batch', () => {
    const plain = play(bert, run({ contrast: known({ queries: 4, passages: 4, cached: null }) }));
    const cached = play(bert, run({ contrast: cachedOf(8) }));
    const gradients = 2 * trainedIn(plain);
    const more = peakOf(cached, 'forward') - peakOf(plain, 'forward');
    assert.ok(more > 0.95 * gradients && more < 1.1 * gradients, String(more / gradients));
  });
});

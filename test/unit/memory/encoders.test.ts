import assert from 'node:assert/strict';
import { bert } from '../../../src/core/memory/architectures/bert';
import type { MemoryRun } from '../../../src/core/memory/run';
import { play } from '../../../src/core/memory/timeline';
import { memoryRun, modelOf } from './support';

const MODEL = modelOf({
  model_type: 'bert',
  hidden_size: 256,
  intermediate_size: 1024,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  vocab_size: 1024,
  max_position_embeddings: 512,
});

const [ROWS, TOKENS] = [2, 64];

/** The most that one pass allocates beside the weights. */
function passOf(handsWeightsOn: boolean): number {
  const run = memoryRun({
    model: MODEL,
    head: 'base',
    task: 'infer',
    attention: 'eager',
    batch: ROWS,
    tokens: TOKENS,
  });
  const behaviour: MemoryRun['behaviour'] = { ...run.behaviour, handsWeightsOn };
  const { load, phases } = play(bert, { ...run, behaviour });
  const forward = phases.find(({ phase }) => phase === 'forward');
  assert.ok(forward);
  return forward.peak.bytes - load.bytes;
}

describe('memory: encoders of older releases', () => {
  it('let attention weights go before the MLP, whose activation is the peak', () => {
    const weights = ROWS * 4 * TOKENS * TOKENS * 2;
    assert.equal(passOf(true) - passOf(false), weights);
  });
});

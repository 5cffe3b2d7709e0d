import assert from 'node:assert/strict';
import { bert } from '../../../src/core/memory/architectures/bert';
import { optimizerCodeOf } from '../../../src/core/memory/frameworks/behavior/torchCode';
import type { MemoryRun } from '../../../src/core/memory/run';
import { play } from '../../../src/core/memory/timeline';
import type { Framework } from '../../../src/core/spec/runSpec';
import { memoryRun, modelOf, peakOf, playedLlama, trainedIn } from './support';

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

/** The most that a pass allocates besides the weights. */
function passOf(handsWeightsOn: boolean): number {
  const run = memoryRun({
    model: MODEL,
    head: 'base',
    task: 'infer',
    attention: 'eager',
    rows: ROWS,
    tokens: TOKENS,
  });
  const behavior: MemoryRun['behavior'] = { ...run.behavior, handsWeightsOn };
  const { load, phases } = play(bert, { ...run, behavior });
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

describe('memory: older releases of torch', () => {
  const framework = (torch: string): Framework => ({
    id: null,
    name: 'x',
    version: null,
    libraries: { torch },
  });

  it('goes from parameter to parameter where nobody says otherwise', () => {
    assert.deepEqual(
      ['1.13.1', '2.0.0', '2.1.0'].map(torch => optimizerCodeOf(framework(torch), 'adamw_torch')),
      ['adamw_loop', 'adamw_foreach_before_2_1', 'adamw_torch'],
    );
    assert.equal(optimizerCodeOf(framework('1.13.1'), 'adamw_torch_fused'), 'adamw_torch_fused');
  });

  it('leaves gradients where they are: the next forward pass finds them', () => {
    const forwardOf = (keepsGradients: boolean): number => {
      const run = memoryRun();
      const played = playedLlama({ behavior: { ...run.behavior, keepsGradients } });
      return peakOf(played, 'forward');
    };
    const gradients = 2 * trainedIn(playedLlama());
    assert.equal(forwardOf(true) - forwardOf(false), gradients);
  });
});

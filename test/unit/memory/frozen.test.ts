import assert from 'node:assert/strict';
import { llama } from '../../../src/core/memory/architectures/llama';
import { Freezing } from '../../../src/core/memory/frozen/freezing';
import { trainsOf } from '../../../src/core/memory/frozen/names';
import type { NamedParts } from '../../../src/core/memory/frozen/names';
import { play } from '../../../src/core/memory/timeline';
import { STATES } from '../../../src/core/memory/terms';
import type { SimulatedRecord } from '../../eval/accuracy/simulated';
import {
  fixture,
  memoryRun,
  modelOf,
  peakOf,
  playedLlama,
  smallLlama,
  trainedIn,
  recordedPhases,
} from './support';

interface FrozenRun extends SimulatedRecord {
  readonly trained: NamedParts;
  readonly trained_fp32?: boolean;
  readonly lf?: boolean;
  readonly use_reentrant?: boolean;
}

const runs = fixture('frozen') as readonly FrozenRun[];

describe('memory: parts of the base are frozen', () => {
  for (const run of runs) {
    it(`takes what transformers takes: ${run.id}`, () => {
      const model = modelOf({ ...run.config, model_type: run.model_type });
      const checkpointing = run.use_reentrant ? 'reentrant' : 'non-reentrant';
      const played = play(
        llama,
        memoryRun({
          model,
          rows: run.micro_batch_size,
          tokens: run.seq_len ?? 0,
          autocast: run.autocast_extra === 'bf16' ? 'bf16' : null,
          checkpointing: run.gradient_checkpointing ? checkpointing : 'none',
          partly: {
            parts: run.trained,
            dtype: run.trained_fp32 ? 'fp32' : null,
            checkpointsTrained: run.lf === true,
          },
        }),
      );
      assert.deepEqual(recordedPhases(played), run.bytes);
    });
  }
});

const layer = (changes: Partial<Extract<NamedParts, { by: 'layer' }>>): NamedParts => ({
  by: 'layer',
  layers: 2,
  apart: false,
  modules: null,
  beside: [],
  ...changes,
});
const named = (...patterns: string[]): NamedParts => ({ by: 'name', patterns });

/** The layers, out of eight, in which a module is trained. */
const inEight = (parts: NamedParts, module: string): readonly number[] => {
  const trains = trainsOf(parts, 8);
  return [0, 1, 2, 3, 4, 5, 6, 7].filter(one => trains(module, one));
};

describe('memory: which parameters are trained', () => {
  // LLaMA-Factory, model/adapter.py, _setup_freeze_tuning.
  it('are those of the last layers, the first, or of one layer in each equal part', () => {
    assert.deepEqual(inEight(layer({}), 'mlp.up_proj'), [6, 7]);
    assert.deepEqual(inEight(layer({ layers: -3 }), 'mlp.up_proj'), [0, 1, 2]);
    assert.deepEqual(inEight(layer({ apart: true }), 'mlp.up_proj'), [3, 7]);
    assert.deepEqual(inEight(layer({ modules: ['self_attn'] }), 'mlp.up_proj'), []);
    assert.equal(trainsOf(layer({ beside: ['lm_head'] }), 8)('lm_head', null), true);
    assert.equal(trainsOf(layer({}), 8)('lm_head', null), false);
  });

  // axolotl, utils/freeze.py, LayerNamePattern.
  it('are those whose names begin as a pattern says', () => {
    assert.deepEqual(inEight(named('model.layers.[67]+.mlp.'), 'mlp.up_proj'), [6, 7]);
    assert.deepEqual(inEight(named('model.layers.3.mlp.down_proj'), 'mlp.down_proj'), [3]);
    assert.deepEqual(inEight(named('layers.3.mlp.down_proj'), 'mlp.up_proj'), []);
    assert.deepEqual(inEight(named('transformer.blocks.[0-2].'), 'self_attn.q_proj'), [0, 1, 2]);
    assert.deepEqual(inEight(named('model.layers.7.block_sparse_moe.experts'), 'mlp.experts'), [7]);
    const tables = trainsOf(named('^lm_head.weight$', '^model.embed_tokens.weight$[:32000]'), 8);
    assert.equal(tables('lm_head', null), true);
    assert.equal(tables('embed_tokens', null), true);
    assert.equal(tables('norm', null), false);
  });

  it('lie in as many layers as a share or a number says', () => {
    assert.deepEqual(inEight({ by: 'share', share: 0.5 }, 'mlp.up_proj'), [0, 2, 4, 6]);
    assert.deepEqual(inEight({ by: 'turn', layers: 2 }, 'mlp.up_proj'), [0, 4]);
  });

  it('tell layers apart: those below the lowest first, then that one and its like', () => {
    const partly = { parts: named('model.layers.[3467].mlp'), dtype: null, checkpointsTrained: false };
    assert.deepEqual(new Freezing(partly, 8).equalLayers(0, 8, 1), [
      { first: 0, times: 3 },
      { first: 3, times: 4 },
      { first: 5, times: 1 },
    ]);
  });
});

describe('memory: layers that are trained in turns', () => {
  const inTurns = { parts: { by: 'turn', layers: 1 }, dtype: null, checkpointsTrained: false } as const;
  const played = playedLlama({ partly: inTurns });

  it('have states, all of them, and gradients one at a time', () => {
    const whole = playedLlama();
    const one = trainedIn(played);
    assert.ok(one < trainedIn(whole) && one > trainedIn(whole) / smallLlama.layers);
    assert.equal(peakOf(played, 'optimizer step', STATES), peakOf(whole, 'optimizer step', STATES));
  });

  it('have no states where the optimizer has only the first', () => {
    const first = { ...inTurns, parts: { ...inTurns.parts, optimized: 'first' } } as const;
    const states = peakOf(playedLlama({ partly: first }), 'optimizer step', STATES);
    assert.ok(states < peakOf(played, 'optimizer step', STATES) / 2);
  });
});

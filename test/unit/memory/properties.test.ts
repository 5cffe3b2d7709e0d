import assert from 'node:assert/strict';
import { known } from '../../../src/core/spec/maybe';
import fc from 'fast-check';
import { adamwForeach, adamwFused, adamwLoop, sgd } from '../../../src/core/memory/optimizers/adamw';
import { adamw8bit } from '../../../src/core/memory/optimizers/bitsandbytes';
import type { LoraPlan } from '../../../src/core/memory/adapterMethod';
import { STATES } from '../../../src/core/memory/terms';
import type { Played } from '../../../src/core/memory/played';
import { peakOf, playedLlama, smallLlama } from './support';
import type { RunChanges } from './support';
import { tries } from '../../tries';

/** Half of a layer's smallest size: adapters of this rank are still smaller than their layer. */
const MOST_RANK = 64;

const lora: fc.Arbitrary<LoraPlan> = fc.record({
  r: fc.integer({ min: 1, max: MOST_RANK }),
  dropout: fc.constantFrom(0, 0.1),
  targets: fc.constantFrom<LoraPlan['targets']>('all-linear', ['q_proj', 'v_proj'], ['down_proj']),
  modulesToSave: fc.constant([]),
  dtype: fc.constantFrom('bf16' as const, 'fp32' as const),
  method: fc.constant(null),
  experts: fc.constant(null),
});

/** Possible runs: consistent numbers, any batch and length, any of the transformations. */
const runs: fc.Arbitrary<RunChanges> = fc
  .record({
    rows: fc.integer({ min: 1, max: 6 }),
    tokens: fc.integer({ min: 1, max: 300 }),
    layers: fc.integer({ min: 1, max: 7 }),
    numbers: fc.constantFrom<RunChanges>(
      { weightDtype: 'bf16' },
      { weightDtype: 'fp16' },
      { weightDtype: 'fp32' },
      { weightDtype: 'fp32', autocast: 'bf16' },
    ),
    padded: fc.boolean(),
    lora: fc.option(lora),
    quantization: fc.constantFrom(null, 'nf4' as const, 'nf4-dq' as const, 'int8' as const),
    checkpointing: fc.constantFrom('none' as const, 'reentrant' as const, 'non-reentrant' as const),
    attention: fc.constantFrom('eager' as const, 'sdpa' as const, 'flash' as const),
    optimizer: fc.constantFrom(adamwForeach, adamwFused, adamwLoop, adamw8bit, sgd),
    gradAccum: fc.constantFrom(1, 4),
  })
  .map(({ numbers, layers, lora: adapters, quantization, checkpointing, ...rest }) => ({
    ...rest,
    ...numbers,
    checkpointing,
    model: { ...smallLlama, layers },
    lora: adapters,
    quantization: adapters ? quantization : null,
    inputGradients: checkpointing !== 'none' && adapters !== null,
  }));

const peak = ({ phases }: Played): number => Math.max(...phases.map(phase => phase.peak.bytes));

/** Asserts a property of many runs. */
function ofMany(holds: (run: RunChanges) => void, usual = 20): void {
  fc.assert(fc.property(runs, holds), { numRuns: tries(usual) });
}

/** FSDP over the given number of ranks. */
const sharedBy = (ranks: number, version: 1 | 2): RunChanges => ({
  replicas: ranks,
  sharding: {
    kind: 'fsdp',
    version,
    ranks,
    reshards: true,
    compute: 'bf16',
    reduce: 'bf16',
    offload: false,
    frozenLayers: false,
    flattensFrozen: false,
  },
});

describe('memory: what holds for any run', () => {
  it('more rows never take less', () => {
    ofMany(run =>
      assert.ok(peak(playedLlama({ ...run, rows: (run.rows ?? 1) + 1 })) >= peak(playedLlama(run))),
    );
  });

  it('more tokens never take less', () => {
    ofMany(run =>
      assert.ok(peak(playedLlama({ ...run, tokens: (run.tokens ?? 1) + 1 })) >= peak(playedLlama(run))),
    );
  });

  it('more rows of evaluation never take less, and none of it less than what stays', () => {
    ofMany(run => {
      const evaluated = (rows: number): Played => playedLlama({ ...run, evaluated: known(rows) });
      const [few, more] = [evaluated(run.rows ?? 1), evaluated((run.rows ?? 1) + 1)];
      assert.ok(peakOf(more, 'evaluation') >= peakOf(few, 'evaluation'));
      assert.ok(peakOf(few, 'evaluation') >= peakOf(few, 'save'));
    }, 10);
  });

  it('more ranks that share a model never take more each, but for the bytes that round their parts', () => {
    const parts = fc.constantFrom(1 as const, 2 as const);
    fc.assert(
      fc.property(
        parts,
        fc.integer({ min: 2, max: 16 }),
        fc.integer({ min: 1, max: 4 }),
        (version, ranks, batch) => {
          const sharded = (count: number): number =>
            peak(playedLlama({ ...sharedBy(count, version), rows: batch }));
          const rounding = 512 * 9 * smallLlama.layers * 8;
          assert.ok(sharded(ranks + 1) <= sharded(ranks) + rounding, `${ranks}`);
        },
      ),
      { numRuns: tries(10) },
    );
  });

  it('more layers always take more', () => {
    ofMany(run => {
      const model = run.model ?? smallLlama;
      const more = { ...run, model: { ...model, layers: model.layers + 1 } };
      assert.ok(peak(playedLlama(more)) > peak(playedLlama(run)));
    });
  });

  it('every term is there or not, none is owed, and they make up the peak', () => {
    ofMany(run => {
      for (const { phase, peak: at } of playedLlama(run).phases) {
        assert.ok(
          at.terms.every(bytes => bytes >= 0),
          phase,
        );
        assert.equal(
          at.terms.reduce((sum, bytes) => sum + bytes, 0),
          at.bytes,
          phase,
        );
      }
    });
  });

  it('checkpointing never leaves more alive for backward, and adds one recomputed layer at most', () => {
    ofMany(drawn => {
      // With few tokens, the result depends on blocks of 512 bytes and on full-width weights.
      const run = { ...drawn, tokens: 128 + (drawn.tokens ?? 0) };
      const model = run.model ?? smallLlama;
      const stepOf = (changes: RunChanges): { kept: number; peak: number } => {
        const played = playedLlama({ ...run, ...changes, inputGradients: run.lora !== null });
        // A recomputed operation takes in backward what it took in forward, e.g. a weight in full width.
        const peak = Math.max(peakOf(played, 'forward'), peakOf(played, 'backward'));
        return { kept: played.kept - played.load.bytes, peak };
      };
      const plain = stepOf({ checkpointing: 'none' });
      const longer = stepOf({ checkpointing: 'none', model: { ...model, layers: model.layers + 1 } });
      const layer = longer.kept - plain.kept;
      for (const checkpointing of ['reentrant', 'non-reentrant'] as const) {
        const { kept, peak } = stepOf({ checkpointing });
        assert.ok(kept <= plain.kept, checkpointing);
        assert.ok(peak <= plain.peak + layer, checkpointing);
      }
    });
  });

  it('LoRA never has more optimizer state than all parameters have', () => {
    ofMany(run => {
      if (!run.lora) return;
      const adapters = { ...run.lora, dtype: run.weightDtype ?? 'bf16' };
      const [some, all] = [adapters, null].map(one => {
        const played = playedLlama({ ...run, lora: one, quantization: null });
        return peakOf(played, 'optimizer step', STATES);
      });
      assert.ok(some !== undefined && all !== undefined && some <= all);
    });
  });

  it('the same run takes the same', () => {
    ofMany(run => {
      const [one, other] = [playedLlama(run), playedLlama(run)];
      assert.deepEqual(one.phases, other.phases);
    }, 20);
  });
});

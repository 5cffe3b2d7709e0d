import assert from 'node:assert/strict';
import { TERMS } from '../../../src/core/memory/terms';
import type { FullySharded } from '../../../src/core/memory/sharding';
import type { Phase, Played } from '../../../src/core/memory/played';
import type { TermName } from '../../../src/core/models/terms';
import { playedLlama } from './support';

const fsdp = (changes: Partial<FullySharded> = {}): FullySharded => ({
  kind: 'fsdp',
  version: 1,
  ranks: 2,
  reshards: true,
  compute: null,
  reduce: null,
  offload: false,
  frozenLayers: false,
  flattensFrozen: false,
  ...changes,
});

const peakOf = (played: Played, phase: Phase): number =>
  played.phases.find(one => one.phase === phase)?.peak.bytes ?? Number.NaN;

const termOf = (played: Played, phase: Phase, term: TermName): number =>
  played.phases.find(one => one.phase === phase)?.peak.terms[TERMS.indexOf(term)] ?? Number.NaN;

const highest = (played: Played): number => Math.max(...played.phases.map(({ peak }) => peak.bytes));

/** Except for the rounding of small vectors' parts to blocks. */
const near = (actual: number, expected: number): void =>
  assert.ok(Math.abs(actual - expected) <= expected * 0.002, `${actual} is not ${expected}`);

const lora = {
  r: 8,
  dropout: 0,
  targets: 'all-linear',
  modulesToSave: [],
  dtype: 'fp32',
  method: null,
  experts: null,
} as const;
/** 4 layers: the tests below count them. */
const LAYERS = 4;

describe('memory: fully sharded', () => {
  it('the optimizer step of pure 16-bit training takes 10 bytes a parameter over the ranks', () => {
    const [whole, half] = [playedLlama(), playedLlama({ replicas: 2, sharding: fsdp() })];
    const inputs = (played: Played): number => termOf(played, 'optimizer step', 'inputs and buffers');
    const state = (played: Played): number => peakOf(played, 'optimizer step') - inputs(played);
    near(state(half), state(whole) / 2);
  });

  it('under mixed precision trainable shards are fp32: 20 bytes a parameter', () => {
    const pure = playedLlama({ replicas: 4, sharding: fsdp({ ranks: 4 }) });
    const mixed = playedLlama({
      replicas: 4,
      autocast: 'bf16',
      sharding: fsdp({ ranks: 4, compute: 'bf16', reduce: 'bf16' }),
    });
    near(termOf(mixed, 'optimizer step', 'weights'), 2 * termOf(pure, 'optimizer step', 'weights'));
  });

  it('more ranks never take more, whatever is sharded', () => {
    for (const changes of [{}, { reshards: false }, { version: 2 as const }, { offload: true }]) {
      const peaks = [2, 4, 8, 64].map(ranks =>
        highest(playedLlama({ replicas: ranks, sharding: fsdp({ ...changes, ranks }) })),
      );
      assert.deepEqual(
        peaks,
        peaks.toSorted((a, b) => b - a),
      );
    }
  });

  it('what is not given back after forward is all there at its end', () => {
    const [given, kept] = [true, false].map(reshards =>
      playedLlama({ replicas: 8, sharding: fsdp({ ranks: 8, reshards }) }),
    );
    assert.ok(given && kept);
    const more = termOf(kept, 'forward', 'communication') - termOf(given, 'forward', 'communication');
    const layer = 256 * 256 * 2 + 2 * 256 * 128 + 3 * 256 * 768 + 2 * 256;
    // By the end of forward, every layer is present; with resharding, only the root.
    assert.equal(more, LAYERS * layer * 2);
  });

  it('gathers the next layer ahead in backward, but not under reentrant checkpointing', () => {
    const at = (checkpointing: 'reentrant' | 'non-reentrant'): number =>
      termOf(
        playedLlama({ replicas: 8, checkpointing, sharding: fsdp({ ranks: 8 }) }),
        'backward',
        'communication',
      );
    assert.ok(at('non-reentrant') > at('reentrant'));
  });

  it('frozen layers under reentrant checkpointing keep their inputs and gradients to the end', () => {
    const tokens = 4096;
    const backward = (frozenLayers: boolean): number =>
      peakOf(
        playedLlama({
          lora,
          tokens,
          checkpointing: 'reentrant',
          inputGradients: true,
          replicas: 2,
          sharding: fsdp({ frozenLayers }),
        }),
        'backward',
      );
    const hidden = 2 * tokens * 256 * 2;
    // At the lowest layer, the inputs of all layers are still present, and the gradients of all layers above it.
    const kept = backward(true) - backward(false);
    assert.equal(Math.round(kept / hidden), LAYERS - 1);
  });

  it('adapters flattened with the layers they sit on have gradients as large as those', () => {
    const played = (ranks: number, gradAccum: number): Played =>
      playedLlama({
        lora: { ...lora, dtype: 'bf16' },
        gradAccum,
        replicas: ranks,
        sharding: fsdp({ ranks, flattensFrozen: true }),
      });
    // The root has no adapter.
    const layers = LAYERS * (256 * 256 * 2 + 2 * 256 * 128 + 3 * 256 * 768 + 2 * 256) * 2;
    const adapters = termOf(played(2, 1), 'forward', 'adapters') * 2;
    near(termOf(played(2, 1), 'optimizer step', 'gradients'), (layers + adapters) / 2);
    // Micro-batches other than the last do not reduce: each rank holds the gradients of all.
    near(termOf(played(2, 4), 'backward', 'gradients'), layers + adapters);
  });

  it('offloaded shards are on the device while a layer is gathered, and the optimizer is not', () => {
    const played = playedLlama({ replicas: 2, sharding: fsdp({ offload: true }) });
    assert.equal(termOf(played, 'backward', 'weights'), 0);
    assert.equal(termOf(played, 'optimizer step', 'optimizer states'), 0);
  });
});

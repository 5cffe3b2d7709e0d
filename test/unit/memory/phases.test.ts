import assert from 'node:assert/strict';
import { known, NONE } from '../../../src/core/spec/maybe';
import type { MemoryRun } from '../../../src/core/memory/run';
import type { FullySharded } from '../../../src/core/memory/sharding';
import { bytesOfElement } from '../../../src/core/memory/timeline';
import { memoryRun, peakOf, playedLlama, smallLlama } from './support';
import type { RunChanges } from './support';

const { hiddenSize: h, vocabSize: v, layers } = smallLlama;
/** Attention with two key heads out of four, a gated MLP and two norms. */
const LAYER = h * h * 3 + 3 * h * smallLlama.intermediateSize + 2 * h;
const ROOT = 2 * v * h + h;

const fsdp = (changes: Partial<FullySharded> = {}): RunChanges => ({
  replicas: 2,
  sharding: {
    kind: 'fsdp',
    version: 1,
    ranks: 2,
    reshards: true,
    compute: 'bf16',
    reduce: 'bf16',
    offload: false,
    frozenLayers: false,
    flattensFrozen: false,
    ...changes,
  },
});

describe('memory: phases beside the steps', () => {
  it('saves what a rank holds, without gradients', () => {
    const played = playedLlama();
    const held = ROOT + layers * LAYER;
    // bf16 weights and two bf16 moments; AdamW's 4-byte step counters take a block each.
    const counters = peakOf(played, 'save') - held * 2 * 3;
    assert.ok(counters >= 0 && counters <= 512 * (9 * layers + 3));
  });

  it('drops the gradients of earlier micro-batches before it saves', () => {
    assert.equal(peakOf(playedLlama({ gradAccum: 4 }), 'save'), peakOf(playedLlama(), 'save'));
  });

  it('gathers the root and a layer for a full state dict under FSDP 1, a parameter under FSDP 2', () => {
    const resident = (version: 1 | 2, gathered: number): number =>
      peakOf(playedLlama(fsdp({ version })), 'save') - gathered;
    const largest = v * h * 4;
    // The same fp32 parts stay on the rank in both.
    assert.equal(resident(1, (ROOT + LAYER) * 4), resident(2, largest));
  });

  it('evaluates nothing unless it is told to', () => {
    const phases = playedLlama().phases.map(({ phase }) => phase);
    assert.deepEqual(phases.slice(-1), ['save']);
    assert.ok(!playedLlama({ evaluated: NONE }).phases.some(({ phase }) => phase === 'evaluation'));
  });

  it('takes more for more rows of evaluation, and none for dropout there', () => {
    const evaluation = (changes: RunChanges): number =>
      peakOf(playedLlama({ evaluated: known(4), ...changes }), 'evaluation');
    assert.ok(evaluation({ evaluated: known(8) }) > evaluation({}));
    const own = { method: null, experts: null };
    const lora = { r: 8, targets: 'all-linear' as const, modulesToSave: [], dtype: 'bf16' as const, ...own };
    const dropping = evaluation({ lora: { ...lora, dropout: 0.1 } });
    assert.equal(dropping, evaluation({ lora: { ...lora, dropout: 0 } }));
  });

  it('evaluates under FSDP with the gathered layers that a forward pass needs', () => {
    const sharded = playedLlama({ ...fsdp(), evaluated: known(2) });
    assert.ok(peakOf(sharded, 'evaluation') >= peakOf(sharded, 'load') + (ROOT + LAYER) * 2);
  });

  it('has a weight in 16 bits on the device while it is quantised', () => {
    const quantized = { model: { ...smallLlama, vocabSize: 64 }, quantization: 'nf4' as const };
    const plain = playedLlama({ ...quantized, behavior: { ...plainBehavior(), madeOfConfig: true } });
    const loaded = playedLlama(quantized);
    const last = h * smallLlama.intermediateSize * 2;
    // When the last layer's last product is quantized, norms and the head after it are not loaded yet.
    const behind = (h + 64 * h) * 2;
    const more = peakOf(loaded, 'load') - peakOf(plain, 'load');
    const norms = 512 * 2 * (layers + 1);
    assert.ok(more <= last - behind && more >= last - behind - norms, String(more));
  });

  /** The widest weight of the small Llama with adapters. */
  const WIDEST = h * smallLlama.intermediateSize;
  const adapted = (dtype: 'fp32' | 'bf16'): RunChanges => ({
    lora: { r: 8, dropout: 0, targets: 'all-linear', modulesToSave: [], dtype, method: null, experts: null },
    task: 'load',
    merges: 'gpu',
  });

  it("merges adapters with the widest layer's product beside the model, and what it is once it is scaled", () => {
    for (const [dtype, each] of [
      ['fp32', 8],
      ['bf16', 4],
    ] as const) {
      const played = playedLlama(adapted(dtype));
      assert.equal(peakOf(played, 'merge') - peakOf(played, 'load'), WIDEST * each);
    }
  });

  it('unpacks a quantised weight, casts it, and adds to it in a third place', () => {
    assert.equal(bytesOfElement('fp32', 'bf16', true), 2 + 4 + 4 + 4);
    assert.equal(bytesOfElement('bf16', 'bf16', true), 2 + 2 + 2);
  });

  it('has weights and states there again before it goes on from a checkpoint', () => {
    const played = playedLlama({ resumes: true });
    assert.equal(peakOf(played, 'resume'), peakOf(played, 'save'));
  });
});

function plainBehavior(): MemoryRun['behavior'] {
  return memoryRun().behavior;
}

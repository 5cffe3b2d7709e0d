import assert from 'node:assert/strict';
import { llama } from '../../../src/core/memory/architectures/llama';
import type { LoraPlan } from '../../../src/core/memory/adapterMethod';
import type { MemoryRun } from '../../../src/core/memory/run';
import { ACTIVATIONS, ADAPTERS, GRADIENTS, STATES, WEIGHTS } from '../../../src/core/memory/terms';
import { play } from '../../../src/core/memory/timeline';
import { memoryRun, peakOf, playedLlama, smallLlama, trainedIn } from './support';
import type { RunChanges } from './support';

const { hiddenSize: h, intermediateSize: f, heads: a, kvHeads: g, headDim: d, layers } = smallLlama;
const TOKENS = 2 * 128;

/** Parameters of all linear layers except the head; the embedding and the head; the norms. */
const LINEAR = layers * (2 * h * a * d + 2 * h * g * d + 3 * h * f);
const OUTER = 2 * smallLlama.vocabSize * h;
const NORMS = (2 * layers + 1) * h;
const ALL = LINEAR + OUTER + NORMS;

const lora = (changes: Partial<LoraPlan> = {}): LoraPlan => ({
  r: 8,
  dropout: 0,
  targets: 'all-linear',
  modulesToSave: [],
  dtype: 'fp32',
  method: null,
  experts: null,
  ...changes,
});

/** Memory alive after forward, per token and layer: the difference of four more layers. */
function keptPerToken(changes: RunChanges): number {
  const kept = (count: number): number => {
    const played = playedLlama({ ...changes, model: { ...smallLlama, layers: count } });
    return played.kept - played.load.bytes;
  };
  return (kept(8) - kept(4)) / 4 / TOKENS;
}

/** Random states of FlashAttention: a seed and an offset, one block each. */
const SEEDS = (2 * 512) / TOKENS;
/** Bytes per token that a bf16 Llama layer keeps: formulas.md §4 and simulate.md, tensor by tensor. */
const LAYER = 16 * h + 8 * f + 4 * a * d + 4 * g * d + 4 * a + 8;

describe('memory: a plain run', () => {
  const played = playedLlama();

  it('has weights, gradients and two moments of every parameter', () => {
    assert.equal(trainedIn(played), ALL);
    assert.equal(peakOf(played, 'optimizer step', WEIGHTS), 2 * ALL);
    assert.equal(peakOf(played, 'optimizer step', GRADIENTS), 2 * ALL);
    assert.equal(peakOf(played, 'optimizer step', STATES), 4 * ALL);
    assert.equal(peakOf(played, 'first backward', STATES), 0, 'none before the first step');
  });

  it('keeps 16h + 8f + 4ad + 4gd + 4a + 8 bytes a token and layer', () => {
    assert.equal(keptPerToken({}), LAYER + SEEDS);
  });
});

describe('memory: LoRA', () => {
  const adapters = (r: number): number => layers * r * (2 * (h + a * d) + 2 * (h + g * d) + 3 * (h + f));

  it('trains r · (in + out) a layer: gradients and states of those only', () => {
    for (const r of [8, 16]) {
      const played = playedLlama({ lora: lora({ r }) });
      assert.equal(trainedIn(played), adapters(r));
      assert.equal(peakOf(played, 'optimizer step', WEIGHTS), 2 * ALL);
      assert.equal(peakOf(played, 'optimizer step', ADAPTERS), 4 * adapters(r));
      assert.equal(peakOf(played, 'optimizer step', GRADIENTS), 4 * adapters(r));
      assert.equal(peakOf(played, 'optimizer step', STATES), 8 * adapters(r));
    }
  });

  it('takes half of that in bf16', () => {
    const played = playedLlama({ lora: lora({ dtype: 'bf16' }) });
    assert.equal(peakOf(played, 'optimizer step', ADAPTERS), 2 * adapters(8));
    assert.equal(peakOf(played, 'optimizer step', STATES), 4 * adapters(8));
  });

  it('reaches the modules that are named', () => {
    const played = playedLlama({ lora: lora({ targets: ['q_proj', 'v_proj'] }) });
    assert.equal(trainedIn(played), layers * 8 * (h + a * d + (h + g * d)));
  });

  it('trains a copy of modules to save in full, beside the original', () => {
    const table = smallLlama.vocabSize * h;
    const played = playedLlama({ lora: lora({ modulesToSave: ['embed_tokens'] }) });
    assert.equal(trainedIn(played), adapters(8) + table);
    assert.equal(peakOf(played, 'optimizer step', WEIGHTS), 2 * (ALL + table));
  });

  it('keeps a fp32 copy of each adapted layer’s input, in place of bf16 ones that nothing else needs', () => {
    const inputs = 5 * h + a * d + f;
    const shared = 2 * h + f;
    const [bf16, fp32] = (['bf16', 'fp32'] as const).map(dtype => keptPerToken({ lora: lora({ dtype }) }));
    assert.ok(bf16 !== undefined && fp32 !== undefined);
    assert.equal(fp32 - bf16, 4 * inputs - 2 * shared + 7 * 8 * 2);
    assert.equal(keptPerToken({ lora: lora({ dropout: 0.1 }) }) - fp32, inputs, 'masks, a byte a number');
  });
});

describe('memory: quantised weights', () => {
  const weights = (quantization: MemoryRun['numbers']['quantization']): number =>
    peakOf(playedLlama({ quantization, lora: lora() }), 'forward', WEIGHTS);
  const rest = 2 * (OUTER + NORMS);

  it('are half a byte in NF4 and 4 B for 64 of them (arXiv 2305.14314)', () => {
    assert.equal(weights('nf4') - rest, LINEAR * (1 / 2 + 4 / 64));
  });

  it('are half a byte, 1 B for 64 and 4 B for 16,384 of them with double quantisation', () => {
    const exact = LINEAR * (1 / 2 + 1 / 64 + 4 / (64 * 256));
    const matrices = 7 * layers;
    assert.ok(weights('nf4-dq') - rest >= exact && weights('nf4-dq') - rest <= exact + 512 * matrices);
  });

  it('are a byte in int8 and 4 B a row', () => {
    const rows = layers * (a * d + 2 * g * d + 2 * h + 2 * f);
    assert.equal(weights('int8') - rest, LINEAR + 4 * rows);
  });

  it('are there in full for one product only', () => {
    const largest = 2 * h * f;
    const forward = (quantization: MemoryRun['numbers']['quantization']): number =>
      peakOf(playedLlama({ quantization, lora: lora(), checkpointing: 'non-reentrant' }), 'forward');
    const difference = forward('nf4') - weights('nf4') - (forward(null) - weights(null));
    assert.ok(difference <= 2 * largest + 4 * h * TOKENS, `${difference}`);
  });
});

describe('memory: checkpointing', () => {
  for (const checkpointing of ['reentrant', 'non-reentrant'] as const) {
    it(`keeps the hidden state a layer, ${checkpointing}`, () => {
      assert.equal(keptPerToken({ checkpointing }), 2 * h);
    });

    it(`recomputes one layer at a time, ${checkpointing}`, () => {
      const long = { rows: 16, lora: lora(), inputGradients: true };
      const tokens = 16 * 128;
      const activations = (count: number): number => {
        const played = playedLlama({ ...long, checkpointing, model: { ...smallLlama, layers: count } });
        return peakOf(played, 'backward', ACTIVATIONS);
      };
      const [eight, twelve] = [activations(8), activations(12)];
      assert.equal((twelve - eight) / 4, 2 * h * tokens, 'an input for each more');
      const recomputed = eight - 8 * 2 * h * tokens;
      const layer = keptPerToken(long) * TOKENS;
      assert.ok(recomputed > layer && recomputed < 2 * layer, 'one layer with its gradients');
    });
  }

  it('changes nothing about weights, gradients and states', () => {
    const [plain, checkpointed] = [playedLlama(), playedLlama({ checkpointing: 'non-reentrant' })];
    assert.equal(peakOf(plain, 'optimizer step'), peakOf(checkpointed, 'optimizer step'));
  });
});

describe('memory: autocast', () => {
  const fp32: RunChanges = { weightDtype: 'fp32' };
  const amp: RunChanges = { ...fp32, autocast: 'bf16' };

  it('leaves weights, gradients and states in fp32', () => {
    const played = playedLlama(amp);
    assert.equal(peakOf(played, 'optimizer step', WEIGHTS), 4 * ALL);
    assert.equal(peakOf(played, 'optimizer step', GRADIENTS), 4 * ALL);
    assert.equal(peakOf(played, 'optimizer step', STATES), 8 * ALL);
  });

  it('keeps a cast of every trained matrix for backward, and otherwise less than fp32 does', () => {
    const casts = (2 * LINEAR) / layers / TOKENS;
    const [mixed, half, full] = [amp, {}, fp32].map(keptPerToken);
    assert.ok(mixed !== undefined && half !== undefined && full !== undefined);
    assert.ok(mixed > half + casts, `${mixed} with ${casts} for casts, ${half} in bf16`);
    assert.ok(mixed - casts < full, `${mixed} with ${casts} for casts, ${full} in fp32`);
  });
});

describe('memory: what decides on gradients', () => {
  it('accumulation keeps them between micro-batches', () => {
    const [one, two] = [playedLlama(), playedLlama({ gradAccum: 2 })];
    assert.equal(peakOf(two, 'forward', GRADIENTS), 2 * ALL);
    assert.equal(peakOf(one, 'forward', GRADIENTS), 0);
  });

  it('replicas hold a bucket for each', () => {
    const [one, eight] = [playedLlama(), playedLlama({ replicas: 8 })];
    assert.equal(peakOf(eight, 'optimizer step') - peakOf(one, 'optimizer step'), 2 * ALL);
  });

  it('a frozen copy has weights and nothing else', () => {
    const [alone, compared] = [playedLlama(), playedLlama({ reference: 'copy' })];
    assert.equal(compared.load.terms[WEIGHTS], 4 * ALL);
    assert.equal(alone.load.terms[WEIGHTS], 2 * ALL);
    assert.equal(peakOf(compared, 'optimizer step', STATES), peakOf(alone, 'optimizer step', STATES));
  });

  it('leaves the run it is given as it is', () => {
    const run = memoryRun({ lora: lora() });
    const before = JSON.stringify(run);
    play(llama, run);
    assert.equal(JSON.stringify(run), before);
  });
});

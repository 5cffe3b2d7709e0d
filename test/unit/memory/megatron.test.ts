import assert from 'node:assert/strict';
import { megatronGpt } from '../../../src/core/memory/architectures/megatron';
import { behaviorOf } from '../../../src/core/memory/frameworks/behavior/behaviorOf';
import { adamwFused } from '../../../src/core/memory/optimizers/adamw';
import type { MemoryRun } from '../../../src/core/memory/run';
import { GRADIENTS, LOGITS, STATES, WEIGHTS } from '../../../src/core/memory/terms';
import { play } from '../../../src/core/memory/timeline';
import type { LoraPlan } from '../../../src/core/memory/adapterMethod';
import { megatronModel } from '../../../src/core/models/megatron';
import { memoryRun, peakOf, trainedIn } from './support';
import type { RunChanges } from './support';

const [BATCH, TOKENS, HIDDEN, HEADS, LAYERS, RANKS] = [2, 256, 512, 8, 4, 2] as const;

const model = megatronModel(
  'test',
  'gpt',
  {
    'num-layers': `${LAYERS}`,
    'hidden-size': `${HIDDEN}`,
    'num-attention-heads': `${HEADS}`,
    'seq-length': `${TOKENS}`,
  },
  RANKS,
);
assert.ok(model);

const behavior = behaviorOf({
  framework: { id: 'megatron-lm', name: 'megatron-lm', version: null },
  modelType: 'megatron-gpt',
  loss: null,
  preference: false,
  task: null,
  sequenceParallel: null,
  expandableSegments: null,
  kernels: [],
  attention: 'eager',
});

const replicas = { kind: 'megatron', ranks: 4, expertRanks: 4, compute: 'bf16', onHost: false } as const;

/** One rank's slice of the model. */
function megatronRun(ranks: number, changes: RunChanges = {}): MemoryRun {
  assert.ok(model);
  const slice = { ...model, heads: HEADS / ranks, kvHeads: HEADS / ranks };
  return memoryRun({
    model: { ...slice, intermediateSize: (4 * HIDDEN) / ranks, vocabSize: model.vocabSize / ranks },
    rows: BATCH,
    tokens: TOKENS,
    attention: 'eager',
    behavior,
    optimizer: adamwFused,
    sharding: { ...replicas, distributed: false },
    ...changes,
  });
}

/** The bytes that another layer keeps. */
function keptByLayer(run: MemoryRun): number {
  const kept = (layers: number): number =>
    play(megatronGpt, { ...run, model: { ...run.model, layers } }).kept;
  const weights = (layers: number): number =>
    play(megatronGpt, { ...run, model: { ...run.model, layers } }).load.bytes;
  return kept(4) - kept(3) - (weights(4) - weights(3));
}

/** Statistics of two norms, which the paper omits. */
const statistics = (ranks: number): number => (2 * 2 * 4 * BATCH * TOKENS) / ranks;

describe('memory: Megatron', () => {
  const sbh = BATCH * TOKENS * HIDDEN;
  const scores = (5 * HEADS * TOKENS) / HIDDEN;

  it('keeps of a layer what Korthikanti et al. 2022 count: sbh (10 + 24/t + 5as/ht)', () => {
    for (const t of [1, 2, 4]) {
      const expected = sbh * (10 + 24 / t + scores / t);
      assert.equal(keptByLayer(megatronRun(t)) - statistics(1), expected, `${t} ranks`);
    }
  });

  it('keeps sbh/t (34 + 5as/h) with sequence parallelism', () => {
    for (const t of [2, 4]) {
      const expected = (sbh / t) * (34 + scores);
      assert.equal(keptByLayer(megatronRun(t, { sequence: t })) - statistics(t), expected, `${t} ranks`);
    }
  });

  it('keeps no scores where core attention runs again, and inputs alone where layers do', () => {
    assert.equal(keptByLayer(megatronRun(1, { checkpointing: 'selective' })) - statistics(1), sbh * 34);
    assert.equal(keptByLayer(megatronRun(1, { checkpointing: 'reentrant' })), sbh * 2);
  });

  it('holds 18 bytes a parameter, and 6 + 12/d where the optimizer is distributed', () => {
    const held = (distributed: boolean): number => {
      const played = play(megatronGpt, megatronRun(1, { sharding: { ...replicas, distributed } }));
      const terms = [WEIGHTS, GRADIENTS, STATES].map(term => peakOf(played, 'optimizer step', term));
      return terms.reduce((sum, bytes) => sum + bytes, 0);
    };
    const parameters = trainedIn(play(megatronGpt, megatronRun(1)));
    const near = (actual: number, expected: number): boolean => Math.abs(actual / expected - 1) < 0.01;
    assert.ok(near(held(false), 18 * parameters));
    assert.ok(near(held(true), (6 + 12 / 4) * parameters));
  });

  const lora: LoraPlan = {
    r: 8,
    dropout: 0,
    targets: 'all-linear',
    experts: null,
    modulesToSave: [],
    dtype: 'bf16',
    method: null,
  };

  it('trains adapters alone: a frozen layer keeps its inputs for them, and the base has no gradients', () => {
    const played = play(megatronGpt, megatronRun(1, { lora }));
    const [qkv, proj, mlp] = [HIDDEN + 3 * HIDDEN, 2 * HIDDEN, 2 * (HIDDEN + 4 * HIDDEN)];
    assert.equal(trainedIn(played), LAYERS * lora.r * (qkv + proj + mlp));
    assert.equal(peakOf(played, 'backward', GRADIENTS), 4 * trainedIn(played));
    assert.ok(keptByLayer(megatronRun(1, { lora })) < keptByLayer(megatronRun(1)) + BATCH * TOKENS * 2 * 64);
  });

  it('gives each expert adapters of its own', () => {
    assert.ok(model);
    const moe = { layers: LAYERS, intermediateSize: 256, sharedIntermediateSize: 0 };
    const mixed = { ...model, experts: 4, expertsPerToken: 2, gatedMlp: true, moe: { ...model.moe, ...moe } };
    const of = (targets: LoraPlan['targets']): number =>
      trainedIn(
        play(megatronGpt, megatronRun(1, { model: mixed as typeof model, lora: { ...lora, targets } })),
      );
    assert.equal(of(['linear_fc1']), LAYERS * 4 * lora.r * (HIDDEN + 2 * 256));
    assert.equal(of(['linear_fc2']), LAYERS * 4 * lora.r * (HIDDEN + 256));
  });

  it('has layers without experts before those with them, as the pattern says', () => {
    const sparse = (pattern: string): number | undefined =>
      megatronModel(
        'test',
        'gpt',
        {
          'num-layers': '8',
          'hidden-size': '64',
          'num-attention-heads': '4',
          'num-experts': '4',
          'moe-layer-freq': pattern,
        },
        1,
      )?.moe?.layers;
    assert.equal(sparse('1'), 8);
    assert.equal(sparse('3'), 3);
    assert.equal(sparse('([0]*3+[1]*5)'), 5);
    assert.equal(sparse('([1]*3+[0])*2'), 6);
    assert.equal(sparse("'[0,1]*4'"), 4);
    assert.equal(sparse('[x]'), undefined);
    assert.equal(sparse('([0]*3+[1]*6)'), undefined);
    assert.ok(model);
    const moe = { layers: 1, intermediateSize: 256, sharedIntermediateSize: 0 };
    const trained = (layers: number): number =>
      trainedIn(
        play(
          megatronGpt,
          megatronRun(1, {
            model: { ...model, experts: 4, moe: { ...model.moe, ...moe, layers } } as typeof model,
          }),
        ),
      );
    const [dense, experts] = [2 * HIDDEN * 4 * HIDDEN + 5 * HIDDEN, 4 * (HIDDEN + 2 * HIDDEN * 256)];
    assert.equal(trained(3) - trained(1), 2 * (experts - dense));
  });

  it('predicts more tokens with a layer and logits for each depth', () => {
    assert.ok(model);
    const of = (depths: number) =>
      play(
        megatronGpt,
        megatronRun(1, { model: { ...model, extra: { ...model.extra, mtp_layers: depths } } }),
      );
    const layer = 12 * HIDDEN * HIDDEN + 13 * HIDDEN;
    const joined = 2 * HIDDEN * HIDDEN + 6 * HIDDEN;
    assert.equal(trainedIn(of(1)) - trainedIn(of(0)), layer + joined);
    const logits = BATCH * TOKENS * model.vocabSize * 4;
    assert.ok(of(1).kept - of(0).kept > logits);
    assert.equal(trainedIn(of(2)) - trainedIn(of(1)), layer + joined);
  });

  it('holds a copy of the softmax where the loss is compiled, and no softmax with Transformer Engine’s', () => {
    const peak = (kernel: 'torch' | 'compiled' | 'in place forwards'): number => {
      const loss = { kind: 'cross-entropy', upcast: 'in the loss', shift: 'labels', kernel } as const;
      const run = megatronRun(1, { behavior: { ...behavior, loss }, checkpointing: 'reentrant' });
      return peakOf(play(megatronGpt, run), 'backward', LOGITS);
    };
    const logits = BATCH * TOKENS * model.vocabSize;
    const [plain, compiled, inPlace] = [peak('torch'), peak('compiled'), peak('in place forwards')];
    const near = (actual: number, expected: number): boolean => Math.abs(actual - expected) < 0.1 * logits;
    assert.ok(near(plain, 6 * logits), `${plain / logits}`);
    assert.ok(near(compiled, 10 * logits), `${compiled / logits}`);
    assert.ok(near(inPlace, 2 * logits), `${inPlace / logits}`);
  });

  it('keeps masks of dropout unless the arguments turn it off', () => {
    const without = { ...model, extra: { hidden_dropout: 0, attention_dropout: 0 } };
    const kept = keptByLayer(megatronRun(1)) - keptByLayer(megatronRun(1, { model: without }));
    // Two masks of hidden states, and of the scores a mask and a copy.
    assert.equal(kept, BATCH * TOKENS * (2 * HIDDEN + 3 * HEADS * TOKENS));
  });

  it('scores rows without a vocabulary', () => {
    const head = 'sequence-classification' as const;
    const words = peakOf(play(megatronGpt, megatronRun(1)), 'forward');
    assert.ok(peakOf(play(megatronGpt, megatronRun(1, { head })), 'forward') < words);
  });

  it('keeps activations of all micro-batches under way, the embeddings on the first rank, logits on the last', () => {
    const stage = { of: 4, alive: 2 * LAYERS, microBatches: 8, chunks: 1 } as const;
    const one = megatronRun(1, { stage: { ...stage, place: 'last', alive: LAYERS } });
    const two = megatronRun(1, { stage: { ...stage, place: 'last' } });
    const more = play(megatronGpt, two).kept - play(megatronGpt, one).kept;
    assert.equal(more, LAYERS * keptByLayer(megatronRun(1)));
    const first = play(megatronGpt, megatronRun(1, { stage: { ...stage, place: 'first' } }));
    assert.ok(peakOf(first, 'forward') < peakOf(play(megatronGpt, two), 'forward'));
  });
});

describe('latent attention of Megatron', () => {
  it('leaves as many tokens as it gets, although values are narrower than keys', () => {
    assert.ok(model);
    const mla = { qLoraRank: 64, kvLoraRank: 32, qkNopeHeadDim: 64, qkRopeHeadDim: 32, vHeadDim: 64 };
    const { work } = play(megatronGpt, megatronRun(1, { model: { ...model, mla }, attention: 'sdpa' }));
    const rows = new Set(work?.forward.products.map(({ rows }) => rows));
    assert.deepEqual([...rows], [BATCH * TOKENS]);
  });
});

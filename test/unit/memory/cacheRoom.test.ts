import assert from 'node:assert/strict';
import { roomIn, windowedLayers } from '../../../src/core/memory/cacheRoom';
import type { Engine, Serving } from '../../../src/core/memory/engine';
import { sglang } from '../../../src/core/memory/frameworks/sglang';
import { vllm } from '../../../src/core/memory/frameworks/vllm';
import type { ModelFacts } from '../../../src/core/models/model';
import { memoryRun, smallLlama } from './support';

const GIB = 2 ** 30;

/** Thirty layers: ten see everything, twenty see a window. This is vLLM's own example. */
const hybrid: ModelFacts = {
  ...smallLlama,
  layers: 30,
  slidingWindow: 1024,
  extra: { sliding_window_pattern: 3 },
};

const engineOf = (profile: { readonly serving: Engine | null }): Engine => {
  assert.ok(profile.serving);
  return profile.serving;
};

const serving = (changes: Partial<Serving> = {}): Serving => ({
  engine: engineOf(vllm),
  share: 0.9,
  sequences: 256,
  context: 8192,
  isStated: true,
  mostTokens: null,
  tensorRanks: 1,
  stages: 1,
  isEager: false,
  overridesLength: false,
  extras: null,
  draftModel: null,
  ...changes,
});

const run = (model: ModelFacts, more: Parameters<typeof memoryRun>[0] = {}) =>
  memoryRun({ model, task: 'infer', rows: 1, tokens: 2048, spread: 1, ...more });

/** Keys and values of a token in one layer: two heads of 64 in bf16. */
const EACH = 2 * 2 * 64 * 2;

describe('memory: what an engine makes of its cache', () => {
  it('knows which layers look back at a window', () => {
    assert.equal(windowedLayers(hybrid), 20);
    assert.equal(windowedLayers({ ...hybrid, modelType: 'mistral' }), 30);
    assert.equal(windowedLayers({ ...hybrid, modelType: 'gemma2' }), 15);
    const silent = { ...hybrid, extra: {}, layers: 24 };
    assert.equal(windowedLayers({ ...silent, modelType: 'gpt_oss' }), 12);
    assert.equal(windowedLayers({ ...silent, modelType: 'olmo3' }), 18);
    assert.equal(windowedLayers(smallLlama), 0);
  });

  it('has blocks as large as the states of layers without keys and values', () => {
    const types = (attention: number, all: number) =>
      Array.from({ length: all }, (_, i) =>
        i % (all / attention) === 0 ? 'full_attention' : 'linear_attention',
      );
    // Qwen3-Next on one and two GPUs, Granite 4 tiny: vLLM logs “Setting attention block size to 544 tokens”, and 400.
    const next: ModelFacts = {
      ...smallLlama,
      modelType: 'qwen3_next',
      layers: 48,
      kvHeads: 2,
      headDim: 256,
      extra: { layer_types: types(12, 48) },
    };
    const granite: ModelFacts = {
      ...smallLlama,
      modelType: 'granitemoehybrid',
      hiddenSize: 1536,
      layers: 40,
      kvHeads: 4,
      headDim: 128,
      extra: { layer_types: types(4, 40), mamba_n_heads: 48, mamba_d_head: 64 },
    };
    // Qwen3.5 9B, whose matrices are float32: the log of pull request 37467, which names no model, has 528 and 0.76 % padding.
    const dense: ModelFacts = {
      ...next,
      modelType: 'qwen3_5_text',
      layers: 32,
      kvHeads: 4,
      extra: { layer_types: types(8, 32) },
    };
    // Nemotron Nano 9B v2, with a state in bf16 as releases before 0.11.1 had it: 672 tokens (issue 24280).
    const nemotron: ModelFacts = {
      ...smallLlama,
      modelType: 'nemotron_h',
      layers: 8,
      kvHeads: 8,
      headDim: 128,
      extra: {
        layer_types: types(2, 8),
        mamba_num_heads: 128,
        mamba_head_dim: 80,
        n_groups: 8,
        ssm_state_size: 128,
        mamba_ssm_cache_dtype: 'bfloat16',
      },
    };
    for (const [model, tensorRanks, block, groups, each] of [
      [dense, 1, 528, 4, 8 * 4096],
      [nemotron, 1, 672, 4, 2 * 4096],
      [next, 1, 544, 4, 12 * 2048],
      [next, 2, 544, 4, 12 * 1024],
      [granite, 1, 400, 10, 4 * 2048],
    ] as const) {
      const room = roomIn(run(model), serving({ tensorRanks }), GIB);
      const blocks = Math.floor(GIB / (block * each));
      assert.equal(room.bytes, blocks * block * each);
      assert.equal(room.tokens, Math.floor(blocks / groups) * block);
      assert.equal(room.sequences, blocks / (Math.ceil(8192 / block) + groups - 1));
    }
  });

  it('has larger blocks where keys and values are in fp8 and states are not', () => {
    const layers = (count: number) => ({
      layer_types: Array.from({ length: count }, (_, i) =>
        i % 4 === 3 ? 'full_attention' : 'linear_attention',
      ),
    });
    // A 27B of Qwen3.8 on two RTX 3090: blocks of 1,568 tokens (mitchross/talos-argocd-proxmox, pull request 1995).
    const qwen: ModelFacts = {
      ...smallLlama,
      modelType: 'qwen3_5_text',
      layers: 64,
      kvHeads: 4,
      headDim: 256,
      extra: { ...layers(64), linear_num_value_heads: 48 },
    };
    // Nemotron 3 Nano 30B on an RTX 5090, vLLM 0.19: 4,176 tokens.
    const nemotron: ModelFacts = {
      ...smallLlama,
      modelType: 'nemotron_h',
      layers: 8,
      kvHeads: 2,
      headDim: 128,
      extra: { ...layers(8), mamba_num_heads: 64, mamba_head_dim: 64, n_groups: 8, ssm_state_size: 128 },
    };
    for (const [model, tensorRanks, block] of [
      [qwen, 2, 1568],
      [nemotron, 1, 4176],
    ] as const) {
      const { tokens } = roomIn(run(model, { cacheDtype: 'uint8' }), serving({ tensorRanks }), GIB);
      assert.equal(tokens % block, 0, `${model.modelType}: ${tokens}`);
    }
  });

  it('counts whole blocks of all layers where all are alike', () => {
    const room = roomIn(run(smallLlama), serving(), GIB);
    const blocks = Math.floor(GIB / (EACH * 4 * 16));
    assert.deepEqual(room, { bytes: blocks * EACH * 4 * 16, tokens: blocks * 16, sequences: blocks / 512 });
  });

  it('shares memory among three groups of ten layers, of which two hold a window and two passes', () => {
    const { bytes, tokens, sequences } = roomIn(run(hybrid), serving(), GIB);
    const blocks = Math.floor(GIB / (EACH * 10 * 16));
    assert.equal(bytes, blocks * EACH * 10 * 16);
    assert.equal(tokens, Math.floor(blocks / 3) * 16);
    const requests = (passes: number) => blocks / (8192 / 16 + 2 * ((1023 + passes * 2048 + 1) / 16 + 1));
    assert.equal(sequences, requests(2));
    const before = engineOf(vllm).inRelease?.('0.25.1');
    assert.ok(before);
    assert.equal(roomIn(run(hybrid), serving({ engine: before }), GIB).sequences, requests(1));
  });

  it('holds more long sequences for it, where an engine makes use of windows', () => {
    const long = { context: 32768 };
    const [groups, plain] = [vllm, sglang]
      .map(engineOf)
      .map(engine => roomIn(run(hybrid), serving({ engine, ...long }), GIB));
    assert.ok(groups && plain && groups.sequences > 2 * plain.sequences);
  });

  it('pads a group where kinds are nearly as many', () => {
    const nearly = { ...hybrid, layers: 25, extra: { sliding_window_pattern: 2 } };
    const { tokens } = roomIn(run(nearly), serving(), GIB);
    assert.equal(tokens, Math.floor(Math.floor(GIB / (EACH * 13 * 16)) / 2) * 16);
  });

  it('has pages of one size for Gemma 4: 50 of 60 layers with a window, ten with fewer and wider heads', () => {
    const gemma4: ModelFacts = {
      ...smallLlama,
      modelType: 'gemma4',
      layers: 60,
      kvHeads: 16,
      headDim: 256,
      slidingWindow: 1024,
      extra: {
        global_head_dim: 512,
        global_num_key_value_heads: 4,
        sliding_window_pattern: '5 local : 1 global',
      },
    };
    assert.equal(windowedLayers(gemma4), 50);
    const { tokens, sequences } = roomIn(run(gemma4), serving({ context: 65_536 }), 40 * GIB);
    const blocks = Math.floor((40 * GIB) / (2 * 2 * 16 * 256 * 16 * 10));
    assert.equal(tokens, Math.floor(blocks / 6) * 16);
    // A block of the ten layers holds 32 tokens.
    assert.equal(sequences, blocks / (65_536 / 32 + 5 * ((1023 + 2 * 2048 + 1) / 16 + 1)));
  });
});

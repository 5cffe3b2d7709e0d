import assert from 'node:assert/strict';
import { gptNeox } from '../../../src/core/memory/architectures/gptNeox';
import { deepseek, mixtral } from '../../../src/core/memory/architectures/mixtures';
import { olmo2 } from '../../../src/core/memory/architectures/olmo';
import { sectionsOf } from '../../../src/core/memory/blocks/hybrid';
import { nearestTo } from '../../../src/core/memory/setup/model';
import { scaledProduct } from '../../../src/core/memory/ops/linear';
import { causalConvolution } from '../../../src/core/memory/ops/convolution';
import { indexAddInPlace } from '../../../src/core/memory/ops/select';
import { ACTIVATIONS } from '../../../src/core/memory/terms';
import { play } from '../../../src/core/memory/timeline';
import { costOf, memoryRun, modelOf, parameter, peakOf, smallLlama, trainedIn, changed } from './support';

const BF16 = 4096 * 2;

// torch's tools/autograd/derivatives.yaml: baddbmm, index_add, convolution.
describe('memory: what older and newer decoders compute', () => {
  it('a multiplied batched product keeps its factors, and makes each gradient twice', () => {
    const cost = costOf((tape, x) => {
      const other = tape.empty(4096, 'bf16');
      return scaledProduct(tape, x, other, 1024);
    });
    assert.deepEqual(cost, { result: BF16 / 4, kept: BF16, backward: 2 * BF16 });
  });

  it('rows that are added by index keep the index alone', () => {
    const cost = costOf((tape, x) =>
      indexAddInPlace(tape, tape.empty(8192, 'bf16'), tape.empty(64, 'int64'), x),
    );
    assert.deepEqual(cost, { result: 2 * BF16, kept: 64 * 8, backward: BF16 });
  });

  it('a convolution of each channel keeps its input', () => {
    const cost = costOf((tape, x) => causalConvolution(tape, x, parameter(tape, [64, 1, 4], 'bf16', false)));
    assert.equal(cost.result, BF16);
    assert.ok(cost.kept >= BF16);
  });
});

const behavior = memoryRun().behavior;
const former = { behavior: { ...behavior, formerCode: true } };

describe('memory: decoders before releases that changed them', () => {
  // transformers 4.42.4, GPTNeoXAttention: fp32 scores and their 16-bit copy; scores are normalized in fp32 in
  // both.
  it('GPT-NeoX keeps keys and queries in fp32', () => {
    const model = modelOf({
      model_type: 'gpt_neox',
      hidden_size: 256,
      intermediate_size: 1024,
      num_hidden_layers: 4,
      num_attention_heads: 4,
      vocab_size: 1024,
      max_position_embeddings: 512,
    });
    const run = memoryRun({ model, attention: 'eager' });
    const now = peakOf(play(gptNeox, run), 'forward', ACTIVATIONS);
    const then = peakOf(play(gptNeox, { ...run, ...former }), 'forward', ACTIVATIONS);
    const states = 4 * run.batch.rows * run.batch.tokens * 256;
    assert.ok(then - now >= states * 2 * 2);
  });

  it('Mixtral has as many weights with experts as modules as with stacked ones', () => {
    const model = modelOf({
      model_type: 'mixtral',
      hidden_size: 256,
      intermediate_size: 512,
      num_hidden_layers: 4,
      num_attention_heads: 4,
      num_key_value_heads: 2,
      num_local_experts: 4,
      num_experts_per_tok: 2,
      vocab_size: 1024,
    });
    const run = memoryRun({ model });
    const counted = [run, { ...run, ...former }].map(each => trainedIn(play(mixtral, each)));
    assert.equal(counted[0], counted[1]);
    assert.equal(counted[0], model.parameters?.total);
  });
});

describe('memory: offloaded checkpoints', () => {
  it('hold nothing of a layer while others run', () => {
    const run = memoryRun({ model: { ...smallLlama, modelType: 'olmo2', qkNorm: 'full' } });
    const kept = play(olmo2, changed(run, { checkpointing: 'reentrant' }));
    const away = play(olmo2, changed(run, { checkpointing: 'offloaded' }));
    const inputs = run.batch.rows * run.batch.tokens * 256 * 2 * run.model.layers;
    assert.equal(peakOf(kept, 'forward', ACTIVATIONS) - peakOf(away, 'forward', ACTIVATIONS), inputs);
  });
});

describe('memory: layers of several kinds', () => {
  const moe = {
    layers: 6,
    intermediateSize: 128,
    sharedIntermediateSize: 128,
    sharedGate: false,
    routerBias: false,
    expertBias: false,
    scoreCorrection: true,
    besideDense: false,
  };
  const hybrid = { ...smallLlama, layers: 8, experts: 4, expertsPerToken: 2, moe };

  it('are as many as there are of each', () => {
    const sections = sectionsOf(hybrid, 3);
    assert.equal(
      sections.reduce((sum, { layers }) => sum + layers, 0),
      8,
    );
    const withExperts = sections.filter(section => section.moe).reduce((sum, { layers }) => sum + layers, 0);
    assert.equal(withExperts, 6);
    const mixing = sections.filter(({ extra }) => extra['mixer'] === true);
    assert.equal(
      mixing.reduce((sum, { layers }) => sum + layers, 0),
      5,
    );
  });

  it('have the parameters that are counted: latent attention, experts in all but the first', () => {
    const model = modelOf({
      model_type: 'deepseek_v3',
      hidden_size: 256,
      intermediate_size: 512,
      moe_intermediate_size: 128,
      num_hidden_layers: 4,
      num_attention_heads: 4,
      num_key_value_heads: 4,
      q_lora_rank: 64,
      kv_lora_rank: 64,
      qk_nope_head_dim: 64,
      qk_rope_head_dim: 32,
      v_head_dim: 64,
      n_routed_experts: 8,
      num_experts_per_tok: 2,
      n_shared_experts: 1,
      first_k_dense_replace: 1,
      vocab_size: 1024,
      tie_word_embeddings: false,
    });
    // A router's corrections are a buffer here, not parameters.
    const corrections = 3 * 8;
    assert.equal(
      trainedIn(play(deepseek, memoryRun({ model }))),
      (model.parameters?.total ?? 0) - corrections,
    );
  });
});

describe('memory: the nearest structure', () => {
  it('stands for decoders of known sizes alone', () => {
    const unknown = { ...smallLlama, modelType: 'never heard of' };
    assert.ok(nearestTo(unknown));
    assert.equal(nearestTo({ ...unknown, kind: 'vision' }), null);
    assert.equal(nearestTo({ ...unknown, vocabSize: 0 }), null);
  });
});

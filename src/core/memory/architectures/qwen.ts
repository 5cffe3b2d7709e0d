import type { Architecture } from '../architecture';
import type { DecoderDesign } from '../blocks/decoder';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { buildExperts, buildSoftmaxRouter, sparseBlock } from '../blocks/experts';
import { splitThenHeads } from '../blocks/fusedProjections';
import { sequentialLayer } from '../blocks/layers';
import { llamaDesign } from '../blocks/llamaDesign';
import { buildGatedMlp, buildGatedMlpNamed } from '../blocks/mlp';
import { buildRmsNorm } from '../blocks/norm';
import { inputShape, outputShape } from '../blocks/projections';
import { turnedInFp32 } from '../blocks/rotary';
import { stated } from '../configValues';
import type { Builder, Step } from '../modules';
import { add, mul, sigmoid } from '../ops/pointwise';
import type { MemoryRun } from '../run';

/** Defaults of QWenConfig. */
const DROPOUT = 0.1;

const design: DecoderDesign = {
  layer(builder, run) {
    const { model } = run;
    const first = buildRmsNorm(builder, run);
    const all = 3 * model.heads * model.headDim;
    const project = splitThenHeads(model, builder.linear(inputShape(model, 'attn.c_attn', all)));
    const output = builder.linear(outputShape(model, 'attn.c_proj'));
    const second = buildRmsNorm(builder, run);
    const mlp = buildGatedMlpNamed(builder, run, { gate: 'w2', up: 'w1', down: 'mlp.c_proj' });
    return sequentialLayer({
      attention: { project, turn: turnedInFp32, output },
      mlp,
      norms: [first, second],
    });
  },
  norm: buildRmsNorm,
  rotated: ({ headDim }) => headDim,
  softmax: 'own',
  embeddingDropout: model => stated(model, 'emb_dropout_prob', DROPOUT),
};

/**
 * The first Qwen, whose code comes with the checkpoints: one projection with biases, a gated MLP, positions in
 * fp32.
 */
export const qwen: Architecture = decoderArchitecture({
  modelTypes: ['qwen'],
  source: 'Qwen/Qwen-72B, modeling_qwen.py (3334bfe)',
  release: '4.32.0',
  design,
});

/** Llama with norms per head on queries and keys. */
export const qwen3: Architecture = decoderArchitecture({
  modelTypes: ['qwen3'],
  source: 'transformers 5.23.0, models/qwen3/modeling_qwen3.py',
  design: llamaDesign({ headNorms: true }),
});

/** Qwen2MoeSparseMoeBlock: a gated shared expert for all tokens next to the chosen ones. */
function buildBlock(builder: Builder, run: MemoryRun): Step {
  const { model } = run;
  const normalizes = model.extra['norm_topk_prob'] === true;
  const route = buildSoftmaxRouter(builder, model, { normalizes, castsBack: true });
  const experts = buildExperts(builder, model);
  const shared = buildGatedMlp(builder, {
    ...run,
    model: { ...model, intermediateSize: model.moe?.sharedIntermediateSize ?? 0 },
  });
  const shape = { name: 'shared_expert_gate', inputs: model.hiddenSize, outputs: 1, bias: false };
  const gate = builder.linear(shape);
  return (tape, x) =>
    tape.call([x], () => {
      let common = tape.name(shared(tape, x));
      const routed = route(tape, x);
      for (const part of routed) tape.name(part);
      const chosen = tape.name(experts(tape, x, routed));
      common = tape.rename(common, mul(tape, sigmoid(tape, gate(tape, x)), common));
      return add(tape, chosen, common);
    });
}

/** Qwen2 with experts instead of the MLP. */
export const qwen2Moe: Architecture = decoderArchitecture({
  modelTypes: ['qwen2_moe'],
  source: 'transformers 5.23.0, models/qwen2_moe/modeling_qwen2_moe.py',
  // Before, experts were separate modules that ran one after another.
  since: '5.0',
  missing: ({ moe, layers }) => (moe?.layers === layers ? [] : ['the memory of layers without experts']),
  design: llamaDesign({ mlp: buildBlock }),
});

/** Qwen3 with experts instead of the MLP. */
export const qwen3Moe: Architecture = decoderArchitecture({
  modelTypes: ['qwen3_moe'],
  source: 'transformers 5.23.0, models/qwen3_moe/modeling_qwen3_moe.py',
  // Before, experts were separate modules that ran one after another.
  since: '5.0',
  missing: ({ moe, layers }) => (moe?.layers === layers ? [] : ['the memory of layers without experts']),
  design: llamaDesign({
    headNorms: true,
    mlp(builder, { model }) {
      const experts = buildExperts(builder, model);
      const normalizes = model.extra['norm_topk_prob'] === true;
      return sparseBlock(buildSoftmaxRouter(builder, model, { normalizes, castsBack: true }), experts);
    },
  }),
});

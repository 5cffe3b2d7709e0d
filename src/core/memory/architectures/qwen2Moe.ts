import type { Architecture } from '../architecture';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { buildExperts, buildSoftmaxRouter } from '../blocks/experts';
import { llamaDesign } from '../blocks/llamaDesign';
import { buildGatedMlp } from '../blocks/mlp';
import type { Builder, Step } from '../modules';
import { add, mul, sigmoid } from '../ops/pointwise';
import type { MemoryRun } from '../run';

/** Qwen2MoeSparseMoeBlock: beside the chosen experts one for all tokens, with a gate of its own. */
function buildBlock(builder: Builder, run: MemoryRun): Step {
  const { model } = run;
  const normalises = model.extra['norm_topk_prob'] === true;
  const route = buildSoftmaxRouter(builder, model, { normalises, castsBack: true });
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

/** Qwen2 with experts in place of the MLP. */
export const qwen2Moe: Architecture = decoderArchitecture({
  modelTypes: ['qwen2_moe'],
  source: 'transformers 5.23.0, models/qwen2_moe/modeling_qwen2_moe.py',
  // Before, experts were modules of their own, run one after the other.
  since: '5.0',
  missing: ({ moe, layers }) => (moe?.layers === layers ? [] : ['the memory of layers without experts']),
  design: llamaDesign({ mlp: buildBlock }),
});

import type { MoeFacts } from '../../models/model';
import { divideInPlace, topK } from '../ops/experts';
import { gather } from '../ops/loss';
import { add, mul, rowSums, scale, sigmoid } from '../ops/pointwise';
import { to } from '../ops/cast';
import { linear } from '../ops/linear';
import type { Builder, Step } from '../modules';
import type { MemoryRun } from '../run';
import { buildExperts, buildSoftmaxRouter } from './experts';
import type { Experts, Router } from './experts';
import { buildGatedMlp } from './mlp';
import { buildLinearRouter, buildModuleExperts } from './moduleExperts';

const NAMES = { gate: 'gate_proj', up: 'up_proj', down: 'down_proj' } as const;

/**
 * Experts next to a shared one for all tokens (DeepseekV3MoE, Qwen2MoeSparseMoeBlock); modules before transformers
 * 5.
 */
export function buildSharedExperts(builder: Builder, run: MemoryRun, moe: MoeFacts): Step {
  const route = routerOf(builder, run, moe);
  const experts = expertsOf(builder, run);
  const width = moe.sharedIntermediateSize;
  const shared =
    width > 0 ? buildGatedMlp(builder, { ...run, model: { ...run.model, intermediateSize: width } }) : null;
  const shape = { name: 'shared_expert_gate', inputs: run.model.hiddenSize, outputs: 1, bias: false };
  const gate = moe.sharedGate ? builder.linear(shape) : null;
  return (tape, x) =>
    tape.call([x], () => {
      const routed = route(tape, x);
      for (const part of routed) tape.name(part);
      const chosen = tape.name(experts(tape, x, routed));
      if (shared === null) return chosen;
      const common = shared(tape, x);
      const added = gate ? mul(tape, sigmoid(tape, gate(tape, x)), common) : common;
      return add(tape, chosen, added);
    });
}

const expertsOf = (builder: Builder, run: MemoryRun): Experts =>
  run.behavior.formerCode ? buildModuleExperts(builder, run, NAMES) : buildExperts(builder, run.model);

function routerOf(builder: Builder, run: MemoryRun, { scoreCorrection }: MoeFacts): Router {
  const routing = { normalizes: run.model.extra['norm_topk_prob'] !== false, castsBack: true };
  if (scoreCorrection) return sigmoidRouter(builder, run);
  return run.behavior.formerCode
    ? buildLinearRouter(builder, run, routing)
    : buildSoftmaxRouter(builder, run.model, routing);
}

/** DeepseekV3TopkRouter: logits of upcast states and weights; the largest sigmoids are chosen. */
function sigmoidRouter(builder: Builder, { model }: MemoryRun): Router {
  const weight = builder.stacked([model.experts, model.hiddenSize]);
  builder.buffer(model.experts * 4);
  const { experts, expertsPerToken } = model;
  return (tape, x) =>
    tape.call([x], () => {
      const logits = tape.name(to(tape, linear(tape, x, weight, null), 'fp32'));
      const scores = tape.name(sigmoid(tape, logits));
      const chosen = (logits.elements / experts) * expertsPerToken;
      const choice = tape.name(tape.empty(logits.elements, 'fp32'));
      const [values, indices] = topK(tape, choice, chosen);
      tape.spend(values);
      tape.name(indices);
      let weights = tape.name(gather(tape, scores, indices));
      const sums = rowSums(tape, weights, expertsPerToken);
      weights = tape.rename(weights, divideInPlace(tape, weights, sums));
      weights = tape.rename(weights, scale(tape, weights));
      return [logits, weights, indices] as const;
    });
}

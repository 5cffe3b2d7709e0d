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
import { buildRmsNorm } from './norm';

const NAMES = { gate: 'gate_proj', up: 'up_proj', down: 'down_proj' } as const;

/**
 * Experts next to a shared one for all tokens (DeepseekV3MoE, Qwen2MoeSparseMoeBlock); modules before transformers
 * 5.
 */
export function buildSharedExperts(builder: Builder, run: MemoryRun, moe: MoeFacts): Step {
  const route = routerOf(builder, run, moe);
  const latent = buildLatent(builder, run, moe);
  const experts = expertsOf(builder, latent?.run ?? run);
  const width = moe.sharedIntermediateSize;
  const shared =
    width > 0 ? buildGatedMlp(builder, { ...run, model: { ...run.model, intermediateSize: width } }) : null;
  const shape = { name: 'shared_expert_gate', inputs: run.model.hiddenSize, outputs: 1, bias: false };
  const gate = moe.sharedGate ? builder.linear(shape) : null;
  return (tape, x) =>
    tape.call([x], () => {
      const routed = route(tape, x);
      for (const part of routed) tape.name(part);
      const states = latent ? tape.name(latent.down(tape, x)) : x;
      const found = tape.name(experts(tape, states, routed));
      const chosen = latent ? tape.rename(found, latent.up(tape, found)) : found;
      if (shared === null) return chosen;
      const common = shared(tape, x);
      const added = gate ? mul(tape, sigmoid(tape, gate(tape, x)), common) : common;
      return add(tape, chosen, added);
    });
}

interface Latent {
  /** The run as its routed experts see it. */
  readonly run: MemoryRun;
  readonly down: Step;
  readonly up: Step;
}

/**
 * The way to a narrower width for the routed experts and back, with a norm (KimiSparseMoeBlock: routed_expert_down_proj,
 * routed_expert_norm, routed_expert_up_proj; NeMo Automodel 36044ad, components/models/kimi_k3/model.py); null: none.
 */
function buildLatent(builder: Builder, run: MemoryRun, { latentSize }: MoeFacts): Latent | null {
  if (latentSize === undefined) return null;
  const { hiddenSize } = run.model;
  const shape = { inputs: hiddenSize, outputs: latentSize, bias: false };
  const down = builder.linear({ ...shape, name: 'routed_expert_down_proj' });
  const norm = buildRmsNorm(builder, run, latentSize);
  const up = builder.linear({
    inputs: latentSize,
    outputs: hiddenSize,
    bias: false,
    name: 'routed_expert_up_proj',
  });
  return {
    run: { ...run, model: { ...run.model, hiddenSize: latentSize } },
    down,
    up: (tape, x) => tape.call([x], () => up(tape, tape.name(norm(tape, x)))),
  };
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

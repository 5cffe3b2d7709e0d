import type { ModelFacts } from '../../models/model';
import type { Builder, StackedWeight, Step } from '../modules';
import { softmaxInFp32 } from '../ops/attention';
import { to } from '../ops/cast';
import { divideInPlace, groupSums, groupedMatmul, topK } from '../ops/experts';
import { linear } from '../ops/linear';
import { addInPlace, mul, rowSums } from '../ops/pointwise';
import { pick, split } from '../ops/shape';
import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';
import { activationNamed } from './activation';

/** Routing of tokens: logits, the weights of the chosen experts, and their indices. */
export type Routed = readonly [logits: Tensor, weights: Tensor, experts: Tensor];

export type Router = (tape: Tape, x: Tensor) => Routed;

/** How a softmax router computes weights from probabilities. */
export interface SoftmaxRouting {
  /** The weights of a token's experts sum to 1. */
  readonly normalizes: boolean;
  /** Cast back to the dtype of the logits. */
  readonly castsBack: boolean;
}

/** MixtralTopKRouter and similar: probabilities in fp32, of which the largest are chosen. */
export function buildSoftmaxRouter(builder: Builder, model: ModelFacts, routing: SoftmaxRouting): Router {
  const weight = builder.stacked([model.experts, model.hiddenSize]);
  return (tape, x) =>
    routedBySoftmax(tape, x, (on, states) => linear(on, states, weight, null), model, routing);
}

/** Routing by the logits of a layer `gate`. */
export function routedBySoftmax(
  tape: Tape,
  x: Tensor,
  gate: Step,
  { experts, expertsPerToken }: ModelFacts,
  routing: SoftmaxRouting,
): Routed {
  return tape.call([x], () => {
    const logits = tape.name(gate(tape, x));
    const scores = routing.castsBack ? logits : to(tape, logits, 'fp32');
    const probabilities = tape.name(softmaxInFp32(tape, scores));
    const chosen = (logits.elements / experts) * expertsPerToken;
    const [values, indices] = topK(tape, probabilities, chosen);
    let weights = tape.name(values);
    tape.name(indices);
    if (routing.normalizes) {
      const sums = rowSums(tape, weights, expertsPerToken);
      weights = tape.rename(weights, divideInPlace(tape, weights, sums));
    }
    if (routing.castsBack) weights = tape.rename(weights, to(tape, weights, logits.dtype));
    return [logits, weights, indices] as const;
  });
}

/** GraniteMoeTopKRouter: chooses the largest logits, and normalizes only these. */
export function buildLogitsRouter(builder: Builder, model: ModelFacts): Router {
  const weight = builder.stacked([model.experts, model.hiddenSize]);
  const { experts, expertsPerToken } = model;
  return (tape, x) =>
    tape.call([x], () => {
      const logits = tape.name(to(tape, linear(tape, x, weight, null), 'fp32'));
      const [values, indices] = topK(tape, logits, (logits.elements / experts) * expertsPerToken);
      for (const part of [values, indices]) tape.name(part);
      return [logits, tape.name(to(tape, softmaxInFp32(tape, values), x.dtype)), indices] as const;
    });
}

/** Runs the chosen experts over x. */
export type Experts = (tape: Tape, x: Tensor, routed: Routed) => Tensor;

/** The stacked expert matrices of a layer: gate and up combined, and down. */
export function buildExperts(builder: Builder, model: ModelFacts): Experts {
  const { experts, hiddenSize, moe, activation } = model;
  const inner = moe?.intermediateSize ?? model.intermediateSize;
  const gateUp = builder.experts('gateUp', [experts, 2 * inner, hiddenSize]);
  const down = builder.experts('down', [experts, hiddenSize, inner]);
  const biases = moe?.expertBias
    ? ([builder.stacked([experts, 2 * inner]), builder.stacked([experts, hiddenSize])] as const)
    : null;
  const parts = { gateUp, down, biases, act: activationNamed(activation), model };
  return (tape, x, [, weights, indices]) =>
    tape.call([x, indices, weights], () => groupedExperts(tape, x, [weights, indices], parts));
}

interface Parts {
  readonly gateUp: StackedWeight;
  readonly down: StackedWeight;
  readonly biases: readonly [Parameter, Parameter] | null;
  readonly act: Step;
  readonly model: ModelFacts;
}

/**
 * grouped_mm_experts_forward (transformers, integrations/moe.py): tokens sorted by expert, once for each chosen
 * expert.
 */
function groupedExperts(
  tape: Tape,
  x: Tensor,
  [weights, indices]: readonly [Tensor, Tensor],
  { gateUp, down, biases, act, model }: Parts,
): Tensor {
  const { expertsPerToken, experts, hiddenSize } = model;
  const pairs = indices.elements;
  tape.name(tape.empty(pairs, 'int64'));
  const order = tape.name(tape.empty(pairs, 'int64'));
  const selected = tape.name(pick(tape, x, tape.empty(pairs, 'int64'), pairs * hiddenSize));
  const sorted = tape.name(pick(tape, weights, order, pairs));
  tape.name(tape.empty(pairs, 'int32'));
  tape.name(tape.empty(experts, 'int32'));
  const offsets = tape.name(tape.empty(experts, 'int32'));
  let states = tape.name(groupedMatmul(tape, selected, cachedWeight(tape, gateUp), offsets));
  if (biases) states = tape.rename(states, biased(tape, states, biases[0]));
  states = tape.rename(states, gated(tape, states, act));
  states = tape.rename(states, groupedMatmul(tape, states, cachedWeight(tape, down), offsets));
  if (biases) states = tape.rename(states, biased(tape, states, biases[1]));
  const weighted = tape.name(mul(tape, states, sorted));
  const back = tape.name(tape.empty(pairs, 'int64'));
  tape.spend(tape.empty(pairs, 'int64'));
  const ordered = tape.rename(weighted, pick(tape, weighted, back, weighted.elements));
  const sums = tape.name(groupSums(tape, ordered, expertsPerToken));
  return to(tape, sums, x.dtype);
}

/** A parametrized weight is cached until its module has run (torch/nn/utils/parametrize.py, cached). */
function cachedWeight(tape: Tape, weight: StackedWeight): ReturnType<StackedWeight> {
  const made = weight(tape);
  tape.name(made);
  return made;
}

/** `out + bias[expert_ids]` */
function biased(tape: Tape, x: Tensor, bias: Parameter): Tensor {
  return addInPlace(
    tape,
    x,
    pick(tape, bias, tape.empty(x.elements / (bias.shape[1] ?? 1), 'int64'), x.elements),
  );
}

/** `act(gate) * up` of the two halves of a tensor. */
function gated(tape: Tape, x: Tensor, act: Step): Tensor {
  return tape.call([x], () => {
    const [gate = x, up = x] = split(tape, x, [x.elements / 2, x.elements / 2]);
    for (const half of [gate, up]) tape.name(half);
    return mul(tape, act(tape, gate), up);
  });
}

/** A block that replaces hidden states with the output of the chosen experts: MixtralSparseMoeBlock. */
export function sparseBlock(route: Router, experts: Experts): Step {
  return (tape, x) =>
    tape.call([x], () => {
      const routed = route(tape, x);
      for (const part of routed) tape.name(part);
      return experts(tape, x, routed);
    });
}

import type { Builder, LinearShape, Step } from '../modules';
import { indexAddInPlace } from '../ops/select';
import { to } from '../ops/cast';
import { mul } from '../ops/pointwise';
import { pick } from '../ops/shape';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';
import { activationNamed } from './activation';
import type { Experts, Routed, Router, SoftmaxRouting } from './experts';
import { routedBySoftmax } from './experts';
import type { GatedMlpNames } from './mlp';

/** A router with a linear layer, quantized like others. */
export function buildLinearRouter(builder: Builder, { model }: MemoryRun, routing: SoftmaxRouting): Router {
  const gate = builder.linear({
    name: 'gate',
    inputs: model.hiddenSize,
    outputs: model.experts,
    bias: false,
  });
  return (tape, x) => routedBySoftmax(tape, x, gate, model, routing);
}

/**
 * Experts as modules, each run over the tokens that chose it (transformers 4.45.2, modeling_mixtral.py,
 * MixtralSparseMoeBlock). Assumes even routing.
 */
export function buildModuleExperts(builder: Builder, run: MemoryRun, names: GatedMlpNames): Experts {
  const { model } = run;
  const inner = model.moe?.intermediateSize ?? model.intermediateSize;
  const experts = Array.from({ length: model.experts }, () => buildExpert(builder, run, inner, names));
  return (tape, x, routed) => tape.call([x], () => oneByOne(tape, x, routed, { experts, run }));
}

interface Parts {
  readonly experts: readonly Step[];
  readonly run: MemoryRun;
}

/** MixtralBlockSparseTop2MLP: its intermediate results are not named. */
function buildExpert(builder: Builder, { model }: MemoryRun, inner: number, names: GatedMlpNames): Step {
  const shape = (name: string, inputs: number, outputs: number): LinearShape => ({
    name,
    inputs,
    outputs,
    bias: false,
  });
  const gate = builder.linear(shape(names.gate, model.hiddenSize, inner));
  const down = builder.linear(shape(names.down, inner, model.hiddenSize));
  const up = builder.linear(shape(names.up, model.hiddenSize, inner));
  const act = activationNamed(model.activation);
  return (tape, x) =>
    tape.call([x], () => {
      const states = tape.name(mul(tape, act(tape, gate(tape, x)), up(tape, x)));
      return tape.rename(states, down(tape, states));
    });
}

function oneByOne(tape: Tape, x: Tensor, [, weights, chosen]: Routed, { experts, run }: Parts): Tensor {
  const { hiddenSize, expertsPerToken } = run.model;
  const pairs = chosen.elements;
  const rows = pairs / experts.length;
  let sums = tape.name(tape.like(x));
  tape.name(tape.empty((pairs / expertsPerToken) * expertsPerToken * experts.length, 'int64'));
  let [state, changed]: (Tensor | null)[] = [null, null];
  let places: readonly Tensor[] = [];
  for (const expert of experts) {
    const found = [tape.name(tape.empty(rows, 'int64')), tape.name(tape.empty(rows, 'int64'))] as const;
    for (const place of places) tape.drop(place);
    places = found;
    const picked = pick(tape, x, found[1], rows * hiddenSize);
    state = state ? tape.rename(state, picked) : tape.name(picked);
    const share = pick(tape, weights, tape.view(found[1], rows), rows);
    const weighted = mul(tape, expert(tape, state), share);
    changed = changed ? tape.rename(changed, weighted) : tape.name(weighted);
    sums = tape.rename(sums, indexAddInPlace(tape, sums, found[1], to(tape, changed, x.dtype)));
  }
  return sums;
}

import type { ModelFacts } from '../../models/model';
import type { Builder, Step } from '../modules';
import { dropout, mul } from '../ops/pointwise';
import { fusedGate } from '../ops/fused';
import { split } from '../ops/shape';
import type { MemoryRun } from '../run';
import { activationNamed } from './activation';

/** Names of the three layers of a gated MLP. */
export interface GatedMlpNames {
  readonly gate: string;
  readonly up: string;
  readonly down: string;
}

const LLAMA_NAMES: GatedMlpNames = { gate: 'gate_proj', up: 'up_proj', down: 'down_proj' };

/** LlamaMLP: down(act(gate(x)) · up(x)). */
export function buildGatedMlp(builder: Builder, run: MemoryRun): Step {
  return buildGatedMlpNamed(builder, run, LLAMA_NAMES);
}

/** The same with other layer names. */
export function buildGatedMlpNamed(
  builder: Builder,
  { model, behavior }: MemoryRun,
  names: GatedMlpNames,
): Step {
  const { hiddenSize: hidden, intermediateSize: inner, mlpBias: bias } = model;
  const shapes = [
    { name: names.gate, inputs: hidden, outputs: inner, bias },
    { name: names.up, inputs: hidden, outputs: inner, bias },
    { name: names.down, inputs: inner, outputs: hidden, bias },
  ] as const;
  const fused = builder.gatedMlp(shapes);
  if (fused) return fused;
  const [gate, up, down] = [builder.linear(shapes[0]), builder.linear(shapes[1]), builder.linear(shapes[2])];
  const act = activationNamed(model.activation);
  return (tape, x) =>
    tape.call([x], () => {
      if (behavior.kernels.gatedMlp) return down(tape, fusedGate(tape, gate(tape, x), up(tape, x)));
      const gated = act(tape, gate(tape, x));
      return down(tape, mul(tape, gated, up(tape, x)));
    });
}

/** Phi3MLP: gate and up as one layer, whose output is split. */
export function buildFusedGatedMlp(
  builder: Builder,
  { model }: MemoryRun,
  names: PlainMlpNames = { up: 'gate_up_proj', down: 'down_proj' },
): Step {
  const { hiddenSize: hidden, intermediateSize: inner, mlpBias: bias } = model;
  const both = builder.linear({ name: names.up, inputs: hidden, outputs: 2 * inner, bias });
  const down = builder.linear({ name: names.down, inputs: inner, outputs: hidden, bias });
  const act = activationNamed(model.activation);
  return (tape, x) =>
    tape.call([x], () => {
      const size = (x.elements / hidden) * inner;
      const [gate = x, up = x] = split(tape, both(tape, x), [size, size]);
      for (const half of [gate, up]) tape.name(half);
      const gated = tape.rename(up, mul(tape, up, act(tape, gate)));
      return down(tape, gated);
    });
}

/** Names of the two layers of an ungated MLP. */
interface PlainMlpNames {
  readonly up: string;
  readonly down: string;
}

/** down(act(up(x))), followed by dropout. */
export function buildPlainMlp(builder: Builder, model: ModelFacts, names: PlainMlpNames, rate = 0): Step {
  const { hiddenSize: hidden, intermediateSize: inner, mlpBias: bias } = model;
  const up = builder.linear({ name: names.up, inputs: hidden, outputs: inner, bias });
  const down = builder.linear({ name: names.down, inputs: inner, outputs: hidden, bias });
  const act = activationNamed(model.activation);
  return (tape, x) =>
    tape.call([x], () => {
      const wide = tape.name(up(tape, x));
      const active = tape.rename(wide, act(tape, wide));
      const narrow = tape.rename(active, down(tape, active));
      return dropout(tape, narrow, rate);
    });
}

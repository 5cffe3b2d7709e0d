import type { Node, Parameter, Tensor } from '../tensor';
import type { Linear, LinearShape, Step, WeightBuilder } from '../modules';
import { dropout } from '../ops/pointwise';
import { weightFormat } from '../quantization';
import type { LoraPlan } from '../adapterMethod';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import { adapterOf } from './lora';
import type { Adapter } from './lora';
import { dequantized, reserve } from './quantize';
import { notesProduct, productOf } from '../work';

/** One projection of a fused function: its frozen weight (unless quantized) and its adapter. */
interface Part {
  readonly shape: LinearShape;
  readonly weight: Parameter | null;
  readonly adapter: Adapter;
}

/**
 * Projections of one input with their adapters as one autograd function, as in unsloth (fast_lora.py, LoRA_QKV,
 * LoRA_W): keeps the input and, with dropout, the dropped input of each. The first layer computes all, the others
 * return their results.
 */
export function fusedProjections(
  builder: WeightBuilder,
  run: MemoryRun,
  plan: LoraPlan,
  shapes: readonly LinearShape[],
): readonly Linear[] {
  const parts = shapes.map(shape => partOf(builder, run, plan, shape));
  let waiting: Tensor[] = [];
  return shapes.map((_, i) => (tape, x) => {
    if (i === 0) waiting = projectAll(tape, x, parts, run, plan);
    return waiting[i] ?? x;
  });
}

function partOf(builder: WeightBuilder, run: MemoryRun, plan: LoraPlan, shape: LinearShape): Part {
  const quantized = run.numbers.quantization !== null;
  if (run.numbers.quantization !== null) reserve(builder, run.numbers.quantization, shape);
  const weight = quantized ? null : builder.weight([shape.outputs, shape.inputs]);
  return { shape, weight, adapter: adapterOf(builder, plan, shape) };
}

function projectAll(tape: Tape, x: Tensor, parts: readonly Part[], run: MemoryRun, plan: LoraPlan): Tensor[] {
  const node = tape.record(x, ...parts.flatMap(({ adapter }) => [adapter.a, adapter.b]));
  const dropped = parts.map(() => (plan.dropout > 0 ? tape.keep(droppedInput(tape, x)) : x));
  const outputs = parts.map((part, slot) => {
    const full = weightOf(tape, part, run, x);
    const output = tape.empty((x.elements / part.shape.inputs) * part.shape.outputs, x.dtype, node, slot);
    tape.spend(full);
    multiplied(tape, x, part);
    return tape.done(output, tape.empty(output.elements, x.dtype));
  });
  if (node) {
    for (const kept of [x, ...dropped]) node.save(kept);
    node.backward = () => gradients(tape, x, parts, run, plan);
  }
  if (plan.dropout > 0) for (const tensor of dropped) tape.release(tensor);
  return outputs;
}

/** Dropout without a graph: frees the mask immediately. */
function droppedInput(tape: Tape, x: Tensor): Tensor {
  const result = tape.like(x);
  return tape.done(result, tape.empty(x.elements, 'bool'));
}

/** dX overwrites the input; each projection adds the products of its weight and its adapter, masked by dropout. */
function gradients(
  tape: Tape,
  x: Tensor,
  parts: readonly Part[],
  run: MemoryRun,
  plan: LoraPlan,
): (Tensor | null)[] {
  const ofAdapters = parts.flatMap(({ adapter }) => [tape.like(adapter.a), tape.like(adapter.b)]);
  parts.forEach((part, i) => {
    const full = weightOf(tape, part, run, x);
    multiplied(tape, x, part, true);
    if (i > 0) tape.spend(tape.like(x));
    tape.spend(full);
    const low = tape.like(x);
    if (plan.dropout > 0) tape.spend(tape.done(tape.like(x), tape.empty(x.elements, 'bool')));
    tape.spend(low);
  });
  return [x.node && tape.view(x, x.elements), ...ofAdapters];
}

/**
 * A gated MLP with adapters as one function (axolotl, kernels/lora.py, LoRA_MLP): keeps the input, its dropped
 * copies, gate and up; in backward their gradients overwrite them.
 */
export function fusedMlp(
  builder: WeightBuilder,
  run: MemoryRun,
  plan: LoraPlan,
  shapes: readonly [gate: LinearShape, up: LinearShape, down: LinearShape],
): Step {
  const [gatePart, upPart, downPart] = [
    partOf(builder, run, plan, shapes[0]),
    partOf(builder, run, plan, shapes[1]),
    partOf(builder, run, plan, shapes[2]),
  ];
  const adapters = [gatePart, upPart, downPart].flatMap(({ adapter }) => [adapter.a, adapter.b]);
  return (tape, x) =>
    tape.call([x], () => {
      const dropped = tape.name(dropout(tape, x, plan.dropout));
      const node = tape.record(x, dropped, ...adapters);
      const gate = tape.name(product(tape, x, gatePart, run, null));
      const up = tape.name(product(tape, x, upPart, run, null));
      if (node) {
        for (const kept of [x, dropped, gate, up]) node.save(kept);
        node.backward = grad => {
          const wide = tape.keep(product(tape, grad, transposed(downPart), run, null));
          const ofAdapters = adapters.map(adapter => tape.like(adapter));
          tape.release(wide);
          const ofInput = x.node && inputGradient(tape, x, [upPart, gatePart], run);
          return [ofInput, dropped !== x && dropped.node ? tape.like(dropped) : null, ...ofAdapters];
        };
      }
      return product(tape, tape.like(gate), downPart, run, node);
    });
}

/** Products with the weights, summed in place. */
function inputGradient(tape: Tape, x: Tensor, [first, ...others]: readonly Part[], run: MemoryRun): Tensor {
  const full = first && weightOf(tape, first, run, x);
  if (first) multiplied(tape, x, first, true);
  const result = tape.like(x);
  if (full) tape.spend(full);
  for (const part of others) {
    multiplied(tape, x, part, true);
    tape.spend(weightOf(tape, part, run, x));
  }
  return result;
}

/**
 * Notes the product with the weight and the two small ones of the adapter; `back`: those of backward, where the adapter's
 * factors each have a gradient, too.
 */
function multiplied(tape: Tape, x: Tensor, { shape, adapter }: Part, back = false): void {
  const { inputs, outputs } = shape;
  const [r = 1] = adapter.a.shape;
  const { dtype } = x;
  const tokens = x.elements / inputs;
  notesProduct(tape, null, productOf(x, [outputs, inputs]), []);
  for (let i = 0; i < (back ? 2 : 1); i++) {
    notesProduct(tape, null, productOf(x, [r, inputs]), []);
    notesProduct(tape, null, productOf({ elements: tokens * r, dtype }, [outputs, r]), []);
  }
}

/** The weight itself, dequantized if necessary. */
function weightOf(tape: Tape, { shape, weight }: Part, run: MemoryRun, like: Tensor): Tensor {
  return weight ?? dequantized(tape, shape, weightFormat(run.numbers.quantization ?? 'nf4'), like.dtype);
}

const transposed = ({ shape, ...part }: Part): Part => ({
  ...part,
  shape: { ...shape, inputs: shape.outputs, outputs: shape.inputs },
});

/** x · W + x · A · B; a quantized weight is in full precision only while it is used. */
function product(tape: Tape, x: Tensor, part: Part, run: MemoryRun, node: Node | null): Tensor {
  const { shape } = part;
  const full = weightOf(tape, part, run, x);
  multiplied(tape, x, part);
  const output = tape.empty((x.elements / shape.inputs) * shape.outputs, x.dtype, node);
  return tape.done(output, full, x);
}

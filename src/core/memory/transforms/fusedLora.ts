import type { ModelBuilder } from '../builder';
import type { Linear, LinearShape } from '../modules';
import { weightFormats } from '../quantization';
import type { LoraPlan, MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';
import { adapterOf } from './lora';
import type { Adapter } from './lora';
import { dequantized, reserve } from './quantize';

/** One projection of a fused function: its frozen weight, if that is not quantised, and its adapter. */
interface Part {
  readonly shape: LinearShape;
  readonly weight: Parameter | null;
  readonly adapter: Adapter;
}

/**
 * Projections of one input with their adapters as one function of autograd, as unsloth has them (fast_lora.py, LoRA_QKV,
 * LoRA_W): kept are the input and, with dropout, what it became for each of them. The first of the layers computes all,
 * the others hand over what is theirs.
 */
export function fusedProjections(
  builder: ModelBuilder,
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

function partOf(builder: ModelBuilder, run: MemoryRun, plan: LoraPlan, shape: LinearShape): Part {
  const quantized = run.quantization !== null;
  if (run.quantization !== null) reserve(builder, run.quantization, shape);
  const weight = quantized ? null : builder.weight([shape.outputs, shape.inputs]);
  return { shape, weight, adapter: adapterOf(builder, plan, shape) };
}

function projectAll(tape: Tape, x: Tensor, parts: readonly Part[], run: MemoryRun, plan: LoraPlan): Tensor[] {
  const node = tape.record(x, ...parts.flatMap(({ adapter }) => [adapter.a, adapter.b]));
  const dropped = parts.map(() => (plan.dropout > 0 ? tape.keep(droppedInput(tape, x)) : x));
  const outputs = parts.map(({ shape, weight }, slot) => {
    const full = weight ?? inFull(tape, shape, run, x);
    const output = tape.empty((x.elements / shape.inputs) * shape.outputs, x.dtype, node, slot);
    tape.spend(full);
    return tape.done(output, tape.empty(output.elements, x.dtype));
  });
  if (node) {
    for (const kept of [x, ...dropped]) node.save(kept);
    node.backward = () => gradients(tape, x, parts, run, plan);
  }
  if (plan.dropout > 0) for (const tensor of dropped) tape.letGo(tensor);
  return outputs;
}

/** Dropout without a graph: the mask goes at once. */
function droppedInput(tape: Tape, x: Tensor): Tensor {
  const result = tape.like(x);
  return tape.done(result, tape.empty(x.elements, 'bool'));
}

function inFull(tape: Tape, shape: LinearShape, run: MemoryRun, like: Tensor): Tensor {
  return dequantized(tape, shape, weightFormats[run.quantization ?? 'nf4'], like.dtype);
}

/** dX is written over the input; each projection adds its weight's product and its adapter's, masked by dropout. */
function gradients(
  tape: Tape,
  x: Tensor,
  parts: readonly Part[],
  run: MemoryRun,
  plan: LoraPlan,
): (Tensor | null)[] {
  const ofAdapters = parts.flatMap(({ adapter }) => [tape.like(adapter.a), tape.like(adapter.b)]);
  parts.forEach(({ shape, weight }, i) => {
    const full = weight ?? inFull(tape, shape, run, x);
    if (i > 0) tape.spend(tape.like(x));
    tape.spend(full);
    const low = tape.like(x);
    if (plan.dropout > 0) tape.spend(tape.done(tape.like(x), tape.empty(x.elements, 'bool')));
    tape.spend(low);
  });
  return [x.node && tape.view(x, x.elements), ...ofAdapters];
}

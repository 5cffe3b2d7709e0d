import type { ExpertMatrix, StackedWeight, WeightBuilder } from '../modules';
import { scaledProduct } from '../ops/linear';
import { to } from '../ops/cast';
import { weightFormat } from '../quantization';
import type { MemoryRun, QuantizedWeights } from '../run';
import type { Tape } from '../tape';
import { bytesPer } from '../tensor';
import type { Element, Tensor } from '../tensor';
import { WEIGHTS } from '../terms';

/**
 * The stacked expert matrices of a layer, `[experts, out, in]`: plain, or recomputed when their layer runs if they
 * are quantized (axolotl, monkeypatch/moe_quant.py; bitsandbytes, nn/parametrize.py) or have adapters (peft 0.21,
 * tuners/lora/layer.py, ParamWrapper: `baddbmm(W, B, A)`, which has the size of W, and so has its gradient).
 */
export function stackedWeight(
  builder: WeightBuilder,
  run: MemoryRun,
  matrix: ExpertMatrix,
  shape: readonly [experts: number, outputs: number, inputs: number],
): StackedWeight {
  const base = isQuantized(run, run.numbers.quantization)
    ? quantizedStack(builder, run, run.numbers.quantization, shape)
    : plainStack(builder, shape);
  const r = run.training.lora?.experts?.[matrix] ?? 0;
  return r > 0 && run.training.lora
    ? adapted(builder, { dtype: run.training.lora.dtype, r }, shape, base)
    : base;
}

const isQuantized = (
  { numbers: { quantizesExperts }, task }: MemoryRun,
  format: QuantizedWeights | null,
): format is QuantizedWeights => quantizesExperts === true && task === 'train' && format !== null;

function plainStack(builder: WeightBuilder, shape: readonly number[]): StackedWeight {
  const weight = builder.stacked(shape);
  return () => weight;
}

function quantizedStack(
  builder: WeightBuilder,
  { numbers: { weightDtype } }: MemoryRun,
  format: QuantizedWeights,
  shape: readonly [experts: number, outputs: number, inputs: number],
): StackedWeight {
  const [experts, outputs, inputs] = shape;
  const layout = weightFormat(format);
  const elements = experts * outputs * inputs;
  const parts = layout.parts(experts * outputs, inputs).map(part => builder.reserveWeight(part));
  builder.record(
    WEIGHTS,
    format,
    elements,
    parts.reduce((sum, part) => sum + part, 0),
  );
  builder.pass(elements * bytesPer(weightDtype));
  return tape => ({ ...dequantized(tape, format, elements, weightDtype), shape });
}

/** bitsandbytes, backends/default/ops.py, int8_vectorwise_dequant: `A * stats * 7.874e-3`, in fp32. */
function dequantized(tape: Tape, format: QuantizedWeights, elements: number, dtype: Element): Tensor {
  if (format === 'int8') return tape.done(tape.empty(elements, 'fp32'), tape.empty(elements, 'fp32'));
  const scales = weightFormat(format).scaleBytes(elements);
  const weight = tape.empty(elements, dtype);
  return scales === 0 ? weight : tape.done(weight, tape.workspace(scales));
}

function adapted(
  builder: WeightBuilder,
  { dtype, r }: { readonly dtype: Element; readonly r: number },
  shape: readonly [experts: number, outputs: number, inputs: number],
  base: StackedWeight,
): StackedWeight {
  const [experts, outputs, inputs] = shape;
  const a = builder.adapter([r * experts, inputs], dtype);
  const b = builder.adapter([outputs, r * experts], dtype);
  return tape => {
    const weight = base(tape);
    const factors = [to(tape, b, weight.dtype), to(tape, a, weight.dtype)] as const;
    const folded = scaledProduct(tape, ...factors, experts * outputs * inputs);
    return { ...tape.done(folded, weight), shape };
  };
}

import { countDecoder } from '../../models/countDecoder';
import type { ModelFacts } from '../../models/model';
import { stated } from '../configValues';
import type { Builder } from '../modules';
import { causalConvolution } from '../ops/convolution';
import { activation, mul } from '../ops/pointwise';
import { slice } from '../ops/shape';
import type { MemoryRun } from '../run';
import type { Attention } from './latentAttention';
import { buildRmsNorm } from './norm';

/** By default, projections in and out have six columns per hidden size (Mamba: two in, two gates, two out). */
const USUAL = 6;
const KERNEL = 4;

/**
 * A layer that mixes tokens by a recurrence (Mamba 2, gated delta nets, Kimi's): one projection in, a short
 * convolution, the scan, a gated norm, one projection out. Its widths follow from the published size.
 */
export function buildLinearMixer(builder: Builder, run: MemoryRun): Attention {
  const { hiddenSize: hidden } = run.model;
  const columns = stated(run.model, 'mixer_columns', USUAL);
  const inner = Math.round((columns * hidden) / 3);
  const wide = Math.round(columns * hidden) - inner;
  const into = builder.linear({ name: 'in_proj', inputs: hidden, outputs: wide, bias: false });
  const weight = builder.kernel([inner, 1, KERNEL]);
  const norm = buildRmsNorm(builder, run, inner);
  const out = builder.linear({ name: 'out_proj', inputs: inner, outputs: hidden, bias: false });
  return (tape, x) =>
    tape.call([x], () => {
      const tokens = x.elements / hidden;
      const all = tape.name(into(tape, x));
      const gate = tape.name(slice(tape, all, tokens * inner));
      const input = tape.name(slice(tape, all, tokens * inner));
      const mixed = tape.name(activation(tape, causalConvolution(tape, input, weight)));
      const scanned = tape.name(causalConvolution(tape, mixed, weight));
      const gated = mul(tape, norm(tape, scanned), activation(tape, gate));
      return [out(tape, gated)];
    });
}

/**
 * Weight columns per hidden size of each of `mixers` layers: the rest of the published size after counting
 * everything else.
 */
export function mixerColumns(model: ModelFacts, mixers: number): number {
  if (model.publishedTotal === null || mixers === 0) return USUAL;
  const { total, attention } = countDecoder(model);
  const left = model.publishedTotal - total + (mixers * attention) / model.layers;
  return left > 0 ? left / mixers / model.hiddenSize ** 2 : USUAL;
}

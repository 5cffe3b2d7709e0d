import type { ModelFacts } from '../../models/model';
import { publishedLayers } from '../blocks/hybrid';
import type { Architecture } from '../architecture';
import { selfAttention } from '../blocks/attention';
import type { DecoderDesign } from '../blocks/decoder';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import type { Layer } from '../blocks/layers';
import { buildGatedMlpNamed } from '../blocks/mlp';
import { buildRmsNorm } from '../blocks/norm';
import { separateAttention } from '../blocks/projections';
import { turned } from '../blocks/rotary';
import { buildSharedExperts } from '../blocks/sharedExperts';
import type { Builder, Step } from '../modules';
import { causalConvolution } from '../ops/convolution';
import { add, mul } from '../ops/pointwise';
import { copy, split } from '../ops/shape';
import type { MemoryRun } from '../run';

/** The default of Lfm2Config. */
const KERNEL = 3;

/** Lfm2ShortConv: the input times a gate, a short convolution, times another gate. */
function buildConvolution(builder: Builder, { hiddenSize }: ModelFacts): Step {
  const shape = { inputs: hiddenSize, bias: false };
  const weight = builder.kernel([hiddenSize, 1, KERNEL]);
  const into = builder.linear({ ...shape, name: 'in_proj', outputs: 3 * hiddenSize });
  const out = builder.linear({ ...shape, name: 'out_proj', outputs: hiddenSize });
  return (tape, x) =>
    tape.call([x], () => {
      const all = tape.name(into(tape, x));
      const parts = split(tape, tape.view(all, all.elements, all.node), [x.elements, x.elements, x.elements]);
      const [before = x, after = x, input = x] = parts.map(part => tape.name(part));
      const gated = tape.name(mul(tape, before, input));
      const mixed = tape.rename(gated, causalConvolution(tape, gated, weight));
      const product = tape.name(mul(tape, after, mixed));
      const ordered = tape.rename(product, copy(tape, product));
      return out(tape, ordered);
    });
}

function buildMlp(builder: Builder, run: MemoryRun): Step {
  const { moe } = run.model;
  if (moe) return buildSharedExperts(builder, run, moe);
  return buildGatedMlpNamed(builder, run, { gate: 'w1', up: 'w3', down: 'w2' });
}

/** A layer's token mixer: a convolution or attention. */
function buildMixer(builder: Builder, run: MemoryRun): Layer {
  if (run.model.extra['mixer'] === true) {
    const convolve = buildConvolution(builder, run.model);
    return (tape, x) => convolve(tape, x);
  }
  const headNorm = (size: number): Step => buildRmsNorm(builder, run, size);
  const attention = separateAttention(builder, run.model, { turn: turned, headNorm, outputName: 'out_proj' });
  return (tape, x, context) => {
    const [mixed = x, ...weights] = selfAttention(tape, x, attention, context);
    for (const kept of weights) tape.name(kept);
    return mixed;
  };
}

const design: DecoderDesign = {
  layer(builder, run) {
    const mixer = buildMixer(builder, run);
    const mlp = buildMlp(builder, run);
    const [mixerNorm, mlpNorm] = [buildRmsNorm(builder, run), buildRmsNorm(builder, run)];
    return (tape, x, context) =>
      tape.call([x], () => {
        const mixed = tape.name(mixer(tape, mixerNorm(tape, x), context));
        const states = tape.rename(mixed, add(tape, mixed, x));
        return add(tape, states, mlp(tape, mlpNorm(tape, states)));
      });
  },
  norm: buildRmsNorm,
  rotated: ({ headDim }) => headDim,
  sections: publishedLayers,
};

/** Short convolutions in most layers, attention in the others; experts in all but the first (LFM2 8B A1B). */
export const lfm2: Architecture = decoderArchitecture({
  modelTypes: ['lfm2', 'lfm2_moe'],
  source: 'transformers 5.23.0, models/lfm2/modeling_lfm2.py, models/lfm2_moe/modeling_lfm2_moe.py',
  design,
});

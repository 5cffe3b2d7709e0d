import type { ModelFacts } from '../../models/model';
import type { Architecture } from '../architecture';
import { selfAttention } from '../blocks/attention';
import type { AttentionContext } from '../blocks/attention';
import type { DecoderDesign } from '../blocks/decoder';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { headsThenSplit } from '../blocks/fusedProjections';
import type { Layer } from '../blocks/layers';
import { buildPlainMlp } from '../blocks/mlp';
import { formerNeoxAttention } from '../blocks/neoxAttention';
import { buildLayerNorm } from '../blocks/norm';
import { inputShape, outputShape } from '../blocks/projections';
import { partsTurned } from '../blocks/rotary';
import { stated } from '../configValues';
import type { Builder, Step } from '../modules';
import { add } from '../ops/pointwise';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import { bytesPer } from '../tensor';
import type { Element, Tensor } from '../tensor';

const share = (model: ModelFacts): number => stated(model, 'rotary_pct', 0.25);

/** The attention output, and its weights if the caller holds them. */
type Attention = (tape: Tape, x: Tensor, context: AttentionContext) => readonly Tensor[];

/** GPTNeoXLayer: the MLP in parallel with attention, or after it. */
function layerOf(builder: Builder, run: MemoryRun, makeAttention: () => Attention): Layer {
  const { model } = run;
  const norm = (): Step => buildLayerNorm(builder, model.hiddenSize);
  const [attentionNorm, mlpNorm] = [norm(), norm()];
  const attention = makeAttention();
  const mlp = buildPlainMlp(builder, model, { up: 'dense_h_to_4h', down: 'dense_4h_to_h' });
  const isParallel = model.extra['parallel_residual'] !== false;
  return (tape, x, context) =>
    tape.call([x], () => {
      const [mixed = x, ...weights] = attention(tape, attentionNorm(tape, x), context);
      for (const kept of weights) tape.name(kept);
      let attended = tape.name(mixed);
      if (!isParallel) attended = tape.rename(attended, add(tape, attended, x));
      const change = tape.name(mlp(tape, mlpNorm(tape, isParallel ? x : attended)));
      const sum = add(tape, change, attended);
      return isParallel ? add(tape, sum, x) : sum;
    });
}

const projection = (builder: Builder, model: ModelFacts): Step =>
  builder.linear(inputShape(model, 'query_key_value', 3 * model.hiddenSize));

const design: DecoderDesign = {
  layer: (builder, run) =>
    layerOf(builder, run, () => {
      const { model } = run;
      const project = headsThenSplit(model, projection(builder, model));
      const output = builder.linear(outputShape(model, 'dense'));
      const parts = { project, turn: partsTurned(share(model)), byHead: 'turned' as const, output };
      return (tape, x, context) => selfAttention(tape, x, parts, context);
    }),
  norm: (builder, { model }) => buildLayerNorm(builder, model.hiddenSize),
  rotated: model => model.headDim * share(model),
};

/**
 * A causal pattern, frequencies, and cosine and sine of all positions in every layer (4.42.4, _init_bias,
 * _init_rope).
 */
function reserveTables(builder: Builder, model: ModelFacts): void {
  const positions = model.maxPositions ?? 0;
  const turned = model.headDim * share(model);
  builder.buffer(positions ** 2);
  builder.buffer((turned / 2) * bytesPer('fp32'));
  for (let i = 0; i < 2; i++) builder.buffer(positions * turned * bytesPer('fp32'));
}

/**
 * If loaded in another dtype, the tables stay in fp32; for inference, the model's page casts everything
 * (`.half()`).
 */
const tablesOf = ({ task, numbers: { weightDtype } }: MemoryRun): Element =>
  task === 'train' ? 'fp32' : weightDtype;

const former: DecoderDesign = {
  layer: (builder, run) =>
    layerOf(builder, run, () => {
      const { model } = run;
      reserveTables(builder, model);
      const project = projection(builder, model);
      const output = builder.linear(outputShape(model, 'dense'));
      const parts = { model, project, output, share: share(model), tables: tablesOf(run) };
      return (tape, x, context) => [formerNeoxAttention(tape, x, parts, context)];
    }),
  norm: (builder, { model }) => buildLayerNorm(builder, model.hiddenSize),
  rotated: () => 0,
};

/** LayerNorm, attention and MLP in parallel, a part of each head rotated (Pythia). */
export const gptNeox: Architecture = decoderArchitecture({
  modelTypes: ['gpt_neox'],
  source: 'transformers 5.23.0, models/gpt_neox/modeling_gpt_neox.py; before 4.49 that of 4.42.4',
  design,
  former,
});

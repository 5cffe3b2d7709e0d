import { gemma4Sections, perLayerWidth } from '../../models/gemma4';
import type { ModelFacts } from '../../models/model';
import type { Architecture } from '../architecture';
import { gradientIsOrderly, viewAsHeads } from '../blocks/attend';
import type { AttentionContext, AttentionParts, Project } from '../blocks/attention';
import { activationNamed } from '../blocks/activation';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import type { LayerKind } from '../blocks/layerKinds';
import { sequentialLayer } from '../blocks/layers';
import type { Layer } from '../blocks/layers';
import { buildGatedMlp } from '../blocks/mlp';
import { buildWideRmsNorm } from '../blocks/norm';
import { rotaryPositions } from '../blocks/prepare';
import type { MakePrepare } from '../blocks/prepare';
import { inputShape, outputShape } from '../blocks/projections';
import { turned } from '../blocks/rotary';
import type { Builder, Step } from '../modules';
import { to } from '../ops/cast';
import { embedding } from '../ops/select';
import { add, mean, mul, rsqrt, scale, shift, square, tanh } from '../ops/pointwise';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';

/** Gemma4RMSNorm without a weight. */
function plainNorm(size: number): Step {
  return (tape, input) =>
    tape.call([input], () => {
      const x = tape.name(to(tape, input, 'fp32'));
      const variance = shift(tape, mean(tape, square(tape, x), size));
      return to(tape, mul(tape, x, rsqrt(tape, variance)), input.dtype);
    });
}

/**
 * Queries and keys normalized per head, values without a weight; in some layers values are the keys before their
 * norm.
 */
function buildAttention(builder: Builder, run: MemoryRun): AttentionParts {
  const { model } = run;
  const { heads, kvHeads, headDim, extra } = model;
  const [shares, keysOnly] = [extra['shares'] === true, extra['values_are_keys'] === true];
  const toQuery = builder.linear(inputShape(model, 'q_proj', heads * headDim));
  const queryNorm = buildWideRmsNorm(builder, run, headDim);
  const keyShape = inputShape(model, 'k_proj', kvHeads * headDim);
  const toKey = shares ? null : builder.linear(keyShape);
  const toValue = shares || keysOnly ? null : builder.linear({ ...keyShape, name: 'v_proj' });
  const keyNorm = shares ? null : buildWideRmsNorm(builder, run, headDim);
  const valueNorm = plainNorm(headDim);
  const project: Project = (tape, x, context) => {
    const orderly = gradientIsOrderly(tape, context, x.dtype);
    const query = tape.name(queryNorm(tape, viewAsHeads(tape, toQuery(tape, x), heads, true)));
    const elements = (query.elements / heads) * kvHeads;
    // Keys of an earlier layer, which already exist: counted again here.
    const lent = (): Tensor => tape.name(tape.empty(elements, query.dtype));
    if (!toKey || !keyNorm) return { query, key: lent(), value: lent() };
    const plain = tape.name(viewAsHeads(tape, toKey(tape, x), kvHeads, true));
    const value = toValue ? tape.name(viewAsHeads(tape, toValue(tape, x), kvHeads, !orderly)) : plain;
    const key = tape.name(keyNorm(tape, plain));
    return { query, key, value: tape.name(valueNorm(tape, value)) };
  };
  const output = builder.linear(outputShape(model, 'o_proj'));
  return { project, turn: turned, output };
}

/** The per-layer embedding of each word, added by a layer: gated by its states, projected, normalized. */
function buildPerLayer(builder: Builder, run: MemoryRun, width: number): Step {
  const { hiddenSize: hidden, activation } = run.model;
  const linear = (name: string, inputs: number, outputs: number): Step =>
    builder.linear({ name, inputs, outputs, bias: false });
  const gate = linear('per_layer_input_gate', hidden, width);
  const project = linear('per_layer_projection', width, hidden);
  const norm = buildWideRmsNorm(builder, run);
  const act = activationNamed(activation);
  return (tape, x) =>
    tape.call([x], () => {
      const gated = tape.name(act(tape, gate(tape, x)));
      const given = tape.empty(gated.elements, gated.dtype);
      const narrow = tape.rename(gated, mul(tape, gated, given));
      const wide = tape.rename(narrow, project(tape, narrow));
      return add(tape, x, norm(tape, wide));
    });
}

/** Heads of global layers are wider and fewer than those of windowed layers. */
function ownShape(context: AttentionContext, { kvHeads, headDim }: ModelFacts): AttentionContext {
  return { ...context, shape: { ...context.shape, kvHeads, headDim } };
}

function layer(builder: Builder, run: MemoryRun): Layer {
  const { model } = run;
  const attention = buildAttention(builder, run);
  const mlp = buildGatedMlp(builder, run);
  const norm = (): Step => buildWideRmsNorm(builder, run);
  const [first, second, third, fourth] = [norm(), norm(), norm(), norm()];
  const plain = sequentialLayer({ attention, mlp, norms: [first, third], after: [second, fourth] });
  const width = perLayerWidth(model);
  const more = width > 0 ? buildPerLayer(builder, run, width) : null;
  // `hidden_states *= self.layer_scalar`
  return (tape, x, context) =>
    tape.call([x], () => {
      const states = tape.name(plain(tape, x, ownShape(context, model)));
      const whole = more ? tape.rename(states, more(tape, states)) : states;
      return scale(tape, whole);
    });
}

/** The per-layer embeddings of each word: rows of a separate table, and of a projection of the common one. */
const prepare: MakePrepare = (builder, run, design) => {
  const { model } = run;
  const width = perLayerWidth(model) * model.layers;
  const plain = rotaryPositions(builder, run, design);
  if (width === 0) return plain;
  const table = builder.embedding('embed_tokens_per_layer', model.vocabSize, width);
  const project = builder.linear({
    name: 'per_layer_model_projection',
    inputs: model.hiddenSize,
    outputs: width,
    bias: false,
  });
  const norm = buildWideRmsNorm(builder, run, perLayerWidth(model));
  return (tape: Tape, embedded: Tensor, padding: Tensor | null) => {
    const ids = tape.empty(embedded.elements / model.hiddenSize, 'int64');
    const rows = tape.name(scale(tape, embedding(tape, table, ids)));
    const projected = norm(tape, scale(tape, project(tape, embedded)));
    tape.graph?.hold(tape.name(scale(tape, add(tape, projected, rows))));
    return plain(tape, embedded, padding);
  };
};

/** Windows in five layers of six, or the layers of one section. */
function kinds({ extra, layers }: ModelFacts): readonly LayerKind[] {
  if (typeof extra['sees_all'] === 'boolean') return [extra['sees_all'] ? 'full' : 'sliding'];
  return layers > 1 ? ['sliding', 'full'] : ['full'];
}

/** Gemma 4: alternating windows and wider heads, norms on either side, per-layer embeddings, shared keys. */
export const gemma4: Architecture = decoderArchitecture({
  modelTypes: ['gemma4_text'],
  source: 'transformers 5.23.0, models/gemma4/modeling_gemma4.py',
  design: {
    layer,
    norm: buildWideRmsNorm,
    rotated: ({ headDim }) => headDim,
    rotationPerKind: true,
    scaledTable: true,
    kinds,
    sections: gemma4Sections,
    prepare,
    logits: (tape, x) => scale(tape, tanh(tape, scale(tape, x))),
  },
  missing: ({ experts }) => (experts > 0 ? ["the memory of Gemma 4's experts next to a dense MLP"] : []),
});

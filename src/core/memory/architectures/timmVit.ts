import type { Architecture, Model } from '../architecture';
import { selfAttention } from '../blocks/attention';
import type { Project } from '../blocks/attention';
import { imageClassifier } from '../blocks/images/layers';
import { buildPatchEmbeddings, embedPatches } from '../blocks/images/patches';
import { encodePatches, imageContext } from '../blocks/images/patchTransformer';
import type { Layer } from '../blocks/layers';
import { buildPlainMlp } from '../blocks/mlp';
import { buildLayerNorm } from '../blocks/norm';
import { turned } from '../blocks/rotary';
import { flag, stated } from '../configValues';
import type { Builder, Step } from '../modules';
import { activation, add, mean, mul } from '../ops/pointwise';
import { slice, split, viewWhoseGradientIsCopied } from '../ops/shape';
import type { MemoryRun } from '../run';

/** One layer projects queries, keys and values, which `unbind` separates. */
function unbound(linear: Step): Project {
  return (tape, x) => {
    const all = tape.name(viewWhoseGradientIsCopied(tape, linear(tape, x)));
    const sizes = [x.elements, x.elements, x.elements];
    const [query = x, key = x, value = x] = split(tape, tape.view(all, all.elements, all.node), sizes);
    return { query: tape.name(query), key: tape.name(key), value: tape.name(value) };
  };
}

/** GluMlp: one layer up; the first half of its output is the gate. */
function buildPackedMlp(builder: Builder, { model }: MemoryRun): Step {
  const { hiddenSize: hidden, intermediateSize: both } = model;
  const up = builder.linear({ name: 'fc1', inputs: hidden, outputs: both, bias: true });
  const down = builder.linear({ name: 'fc2', inputs: both / 2, outputs: hidden, bias: true });
  return (tape, x) =>
    tape.call([x], () => {
      const wide = tape.name(up(tape, x));
      const half = wide.elements / 2;
      const parts = split(tape, tape.view(wide, wide.elements, wide.node), [half, half]);
      const [gate = wide, value = wide] = parts.map(part => tape.name(part));
      const gated = tape.rename(wide, mul(tape, activation(tape, gate), value));
      return down(tape, gated);
    });
}

/** Block: attention and MLP over a norm each, times a number per channel with LayerScale. */
function buildLayer(builder: Builder, run: MemoryRun): Layer {
  const { model } = run;
  const { hiddenSize: hidden } = model;
  const layerScale = (): Step => {
    const gamma = flag(model, 'layer_scale') ? builder.kernel([hidden]) : null;
    return (tape, x) => (gamma ? mul(tape, x, gamma) : x);
  };
  const linear = (name: string, outputs: number): Step =>
    builder.linear({ name, inputs: hidden, outputs, bias: true });
  const first = buildLayerNorm(builder, hidden);
  const project = unbound(linear('qkv', 3 * hidden));
  const attention = { project, turn: turned, output: linear('proj', hidden) };
  const scales = [layerScale()];
  const second = buildLayerNorm(builder, hidden);
  const plain = { ...model, mlpBias: true };
  const mlp = flag(model, 'gated')
    ? buildPackedMlp(builder, run)
    : buildPlainMlp(builder, plain, { up: 'fc1', down: 'fc2' });
  scales.push(layerScale());
  const [afterAttention, afterMlp] = scales;
  const scaled = (step: Step | undefined): Step => step ?? ((_, x) => x);
  return (tape, x, context) =>
    tape.call([x], () => {
      const [mixed = x] = selfAttention(tape, first(tape, x), attention, context);
      const middle = tape.name(add(tape, x, scaled(afterAttention)(tape, mixed)));
      return add(tape, middle, scaled(afterMlp)(tape, mlp(tape, second(tape, middle))));
    });
}

/** The first token, or the mean of the patches. */
function pooling({ model, batch: { rows: batch } }: MemoryRun, tokens: number, leading: number): Step {
  const { hiddenSize: hidden } = model;
  if (model.extra['pool'] !== 'avg') return (tape, x) => slice(tape, x, batch * hidden);
  return (tape, x) =>
    mean(tape, leading > 0 ? slice(tape, x, batch * (tokens - leading) * hidden) : x, tokens - leading);
}

function build(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const { hiddenSize: hidden } = model;
  const leading = stated(model, 'leading', 1);
  const patch = stated(model, 'patch_size', 0);
  const late = flag(model, 'late_tokens');
  const bias = model.extra['patch_bias'] !== false;
  const embeddings = buildPatchEmbeddings(builder, run, {
    hidden,
    patch,
    leading,
    late,
    bias,
    registers: true,
  });
  const before = flag(model, 'first_norm') ? buildLayerNorm(builder, hidden) : null;
  const layers = builder.repeat(model.layers, () => buildLayer(builder, run));
  const norm = model.extra['last_norm'] === false ? null : buildLayerNorm(builder, hidden);
  const pool = pooling(run, embeddings.tokens, leading);
  const headNorm = flag(model, 'head_norm') ? buildLayerNorm(builder, hidden) : null;
  const outputs = stated(model, 'num_classes', 0);
  const head = builder.linear({ name: 'head', inputs: hidden, outputs, bias: true });
  const context = imageContext(run, embeddings.tokens);
  return imageClassifier((tape, pixels) =>
    tape.call([pixels], () => {
      let states = tape.name(embedPatches(tape, pixels, embeddings, run, 0));
      if (before) states = tape.rename(states, before(tape, states));
      states = tape.rename(states, encodePatches(tape, states, { layers, norm }, run, context));
      states = tape.rename(states, pool(tape, states));
      if (headNorm) states = tape.rename(states, headNorm(tape, states));
      return head(tape, states);
    }),
  );
}

/** timm's patch transformers: ViT, DeiT, DINOv2 with or without registers. */
export const timmVit: Architecture = {
  modelTypes: ['timm_vit'],
  source: 'timm 1.0.31, timm/models/vision_transformer.py, timm/layers/attention.py and mlp.py',
  samples: 'images',
  heads: ['image-classification'],
  build,
};

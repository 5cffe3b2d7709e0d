import { crossLayers } from '../../models/families/visionText';
import type { ModelFacts } from '../../models/model';
import type { Architecture } from '../architecture';
import { attend, viewAsHeads } from '../blocks/attend';
import type { AttentionContext } from '../blocks/attention';
import { buildDecoder } from '../blocks/decoder';
import type { DecoderDesign } from '../blocks/decoder';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import type { Layer } from '../blocks/layers';
import { llamaDesign } from '../blocks/llamaDesign';
import { buildGatedMlp } from '../blocks/mlp';
import { buildRmsNorm } from '../blocks/norm';
import { rotaryPositions } from '../blocks/prepare';
import type { MakePrepare } from '../blocks/prepare';
import { inputShape, outputShape } from '../blocks/projections';
import { stated } from '../configValues';
import type { Builder, Step } from '../modules';
import { add, mul } from '../ops/pointwise';
import type { MemoryRun } from '../run';
import type { Tensor } from '../tensor';
import { phrase } from '../../text/say';

/** Tiles per image (MllamaVisionConfig.max_num_tiles); each has a token per patch and a class token. */
const TILES = 4;

/** The tower's default sizes without its config (11B). */
const SIDE = 448;
const PATCH = 14;

/** Tokens of a row's single image. */
function imageTokens({ extra }: ModelFacts): number {
  const config = extra['vision_config'];
  const entries = typeof config === 'object' && config !== null ? Object.entries(config) : [];
  const vision = { extra: Object.fromEntries(entries) } as ModelFacts;
  const side = stated(vision, 'image_size', SIDE);
  return TILES * (Math.floor(side / stated(vision, 'patch_size', PATCH)) ** 2 + 1);
}

const isCross = ({ extra }: ModelFacts): boolean => extra['looks_at_images'] === true;

/** Text layers, then those over images. */
function sections(model: ModelFacts): readonly ModelFacts[] {
  const across = crossLayers(model);
  const cross = { ...model, layers: across, extra: { ...model.extra, looks_at_images: true } };
  return [{ ...model, layers: model.layers - across }, cross].filter(({ layers }) => layers > 0);
}

/** The inputs of all layers over images, computed at the start of a pass. */
interface Given {
  images: Tensor | null;
  mask: Tensor | null;
}

/** MllamaTextCrossAttention: queries from words, keys and values from the image, every pair masked. */
function buildCross(builder: Builder, run: MemoryRun, given: Given): Layer {
  const { model } = run;
  const batch = run.batch.rows;
  const { heads, kvHeads, headDim, hiddenSize } = model;
  const norm = (size = hiddenSize): Step => buildRmsNorm(builder, run, size);
  const toQuery = builder.linear(inputShape(model, 'q_proj', heads * headDim));
  const toKey = builder.linear(inputShape(model, 'k_proj', kvHeads * headDim));
  const toValue = builder.linear(inputShape(model, 'v_proj', kvHeads * headDim));
  const output = builder.linear(outputShape(model, 'o_proj'));
  const [queryNorm, keyNorm] = [norm(headDim), norm(headDim)];
  const [first, second] = [norm(), norm()];
  const mlp = buildGatedMlp(builder, run);
  const gates = [builder.kernel([1]), builder.kernel([1])] as const;
  const keys = imageTokens(model);
  const attention = (x: Tensor, tape: Parameters<Layer>[0], context: AttentionContext): Tensor =>
    tape.call([x], () => {
      const query = tape.name(queryNorm(tape, viewAsHeads(tape, toQuery(tape, x), heads, true)));
      const images = given.images ?? tape.name(tape.empty(batch * keys * hiddenSize, x.dtype));
      const key = tape.name(viewAsHeads(tape, toKey(tape, images), kvHeads, true));
      const value = tape.name(viewAsHeads(tape, toValue(tape, images), kvHeads, true));
      const normed = tape.rename(key, keyNorm(tape, key));
      const own = { ...context, shape: { ...context.shape, keys }, mask: given.mask, cache: false };
      const [mixed = query] = attend(tape, { query, key: normed, value }, own).map(each => tape.name(each));
      return output(tape, mixed);
    });
  return (tape, x, context) =>
    tape.call([x], () => {
      const normed = tape.name(first(tape, x));
      const mixed = tape.rename(normed, attention(normed, tape, context));
      const opened = tape.rename(mixed, mul(tape, gates[0], mixed));
      const middle = tape.rename(opened, add(tape, x, opened));
      const again = tape.name(second(tape, middle));
      const wide = tape.rename(again, mlp(tape, again));
      const whole = tape.rename(wide, mul(tape, gates[1], wide));
      return add(tape, middle, whole);
    });
}

const preparing =
  (given: Given): MakePrepare =>
  (builder, run, design) => {
    const plain = rotaryPositions(builder, run, design);
    const keys = imageTokens(run.model);
    return (tape, embedded, padding) => {
      given.images = tape.name(tape.empty(run.batch.rows * keys * run.model.hiddenSize, embedded.dtype));
      given.mask = tape.name(tape.empty(run.batch.rows * run.batch.tokens * keys, embedded.dtype));
      for (const each of [given.images, given.mask]) tape.graph?.hold(each);
      return plain(tape, embedded, padding);
    };
  };

/** A design for one model, with separate inputs for its layers over images. */
function designOf(): DecoderDesign {
  const plain = llamaDesign();
  const given: Given = { images: null, mask: null };
  return {
    ...plain,
    layer: (builder, run, isFirst) =>
      isCross(run.model) ? buildCross(builder, run, given) : plain.layer(builder, run, isFirst),
    sections,
    prepare: preparing(given),
  };
}

/** Llama 3.2 Vision's language model: Llama's layers, with cross-attention to an image's tokens in every fifth. */
export const mllama: Architecture = {
  ...decoderArchitecture({
    modelTypes: ['mllama_text_model'],
    source: 'transformers 5.23.0, models/mllama/modeling_mllama.py',
    design: llamaDesign(),
  }),
  assumes: () => [phrase`an image in each row, in ${TILES} tiles`],
  build: (builder, run) => buildDecoder(builder, run, designOf()),
};

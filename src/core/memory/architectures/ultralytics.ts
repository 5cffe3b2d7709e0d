import { divisible, yoloNetwork } from '../../models/ultralytics';
import type { YoloLayer, YoloNetwork } from '../../models/ultralytics';
import type { Architecture, Model } from '../architecture';
import { elementsOf, globalPooling, imageClassifier, imagesOf, sequence } from '../blocks/images/layers';
import type { FeatureMaps } from '../blocks/images/layers';
import { c2psa } from '../blocks/images/yolo/attention';
import { buildDetect, MASKS } from '../blocks/images/yolo/detect';
import { detectionLoss } from '../blocks/images/yolo/loss';
import { bottleneck, c2f, c3, conv, sppf } from '../blocks/images/yolo/modules';
import type { Module } from '../blocks/images/yolo/modules';
import { stated } from '../configValues';
import type { Builder, Step } from '../modules';
import { catWidest, upsample } from '../ops/pooling';
import { catAll } from '../ops/shape';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';
import { LOGITS } from '../terms';
import { phrase } from '../../text/say';

/** Creates a module over the previous layer's maps. */
type Build = (builder: Builder, from: FeatureMaps, layer: YoloLayer) => Module;

const near = [3, 3] as const;

const MODULES: Readonly<Record<string, Build>> = {
  Conv: (builder, from, { channels, rest: [size = 1, stride = 1, padding] }) =>
    conv(builder, from, { channels, size, stride, ...(padding === undefined ? {} : { padding }) }),
  C2f: (builder, from, { channels, repeats, rest: [shortcut = 0] }) => {
    const inner = Math.floor(channels / 2);
    const shape = { channels: inner, kernels: near, share: 1, shortcut: shortcut === 1 };
    return c2f(builder, from, { channels, inner, repeats, part: at => bottleneck(builder, at, shape) });
  },
  C3k2: (builder, from, { channels, repeats, rest: [deep = 0, share = 0.5] }) => {
    const inner = Math.floor(channels * share);
    const shape = { channels: inner, kernels: near, shortcut: true };
    const part = (at: FeatureMaps): Module =>
      deep === 1
        ? c3(builder, at, { ...shape, repeats: 2 })
        : bottleneck(builder, at, { ...shape, share: 0.5 });
    return c2f(builder, from, { channels, inner, repeats, part });
  },
  C3: (builder, from, { channels, repeats, rest: [shortcut = 1] }) =>
    c3(builder, from, { channels, repeats, kernels: [1, 3], shortcut: shortcut === 1 }),
  SPPF: (builder, from, { channels }) => sppf(builder, from, channels),
  C2PSA: (builder, from, { repeats }) => c2psa(builder, from, repeats),
  Upsample: (_, from) => {
    const to = { ...from, height: 2 * from.height, width: 2 * from.width };
    return { to, run: (tape, x) => upsample(tape, x, elementsOf(to)) };
  },
};

interface Placed {
  readonly from: readonly number[];
  readonly run: (tape: Tape, inputs: readonly Tensor[]) => Tensor;
  readonly to: FeatureMaps;
}

/** Positions of a layer's inputs: −1 is the previous layer. */
const placesOf = ({ from }: YoloLayer, place: number): number[] => from.map(at => (at < 0 ? place + at : at));

function buildLayers(builder: Builder, images: FeatureMaps, { layers }: YoloNetwork): readonly Placed[] {
  const placed: Placed[] = [];
  layers.forEach((layer, place) => {
    const from = placesOf(layer, place);
    const maps = from.map(at => placed[at]?.to ?? images);
    const [first = images] = maps;
    if (layer.module === 'Concat') {
      const channels = maps.reduce((all, at) => all + at.channels, 0);
      placed.push({ from, to: { ...first, channels }, run: catWidest });
      return;
    }
    const made = MODULES[layer.module]?.(builder, first, layer);
    if (!made) return;
    placed.push({ from, to: made.to, run: (tape, inputs) => made.run(tape, inputs[0] ?? NONE(tape)) });
  });
  return placed;
}

const NONE = (tape: Tape): Tensor => tape.empty(0, 'fp32');

/**
 * `_predict_once` (nn/tasks.py): keeps results that a later layer needs; the others are freed after the next layer.
 */
function runLayers(
  tape: Tape,
  pixels: Tensor,
  layers: readonly Placed[],
  levels: readonly number[],
): Tensor[] {
  const taken = new Set([
    ...layers.flatMap(({ from }, place) => from.filter(at => at !== place - 1)),
    ...levels,
  ]);
  const kept = new Map<number, Tensor>();
  let x = tape.name(pixels);
  layers.forEach(({ from, run }, place) => {
    const inputs = from.map(at => (at === place - 1 ? x : (kept.get(at) ?? x)));
    x = tape.rename(x, run(tape, inputs));
    if (taken.has(place)) kept.set(place, tape.name(x));
  });
  return levels.map(at => kept.get(at) ?? x);
}

/* The trainer's loop holds a batch until it has the next one (engine/trainer.py, _do_train). */

/** Numbers next to a box: mask coefficients; three for each of 17 keypoints; an angle. */
const EXTRA_NUMBERS: Readonly<Record<string, number>> = { segment: MASKS, pose: 51, obb: 1 };
const PROTOS = 256;

/** Channels inside Classify (nn/modules/head.py). */
const CLASSIFIED = 1280;

function buildClassifier(builder: Builder, { model }: MemoryRun, from: FeatureMaps): Step {
  const convolve = conv(builder, from, { channels: CLASSIFIED });
  const outputs = stated(model, 'num_classes', 0);
  const linear = builder.linear({ name: 'linear', inputs: CLASSIFIED, outputs, bias: true });
  return sequence([convolve.run, ...globalPooling(convolve.to).steps, linear]);
}

function build(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const network = yoloNetwork(model);
  const images = imagesOf(run);
  if (!network) return (tape, { inputIds }) => tape.view(inputIds, inputIds.elements);
  const layers = buildLayers(builder, images, network);
  const maps = (tape: Tape, pixels: Tensor): Tensor[] =>
    tape.call([pixels], () => runLayers(tape, pixels, layers, network.levels));
  const sizes = network.levels.map(at => layers[at]?.to ?? images);
  const ends = String(model.extra['ends']);
  if (ends === 'classify') {
    const head = buildClassifier(builder, run, sizes[0] ?? images);
    return imageClassifier((tape, pixels) => {
      tape.graph?.hold(pixels);
      const [x = pixels] = maps(tape, pixels);
      return head(tape, x);
    });
  }
  const classes = stated(model, 'num_classes', 0);
  const protos = ends === 'segment' ? divisible(Math.min(PROTOS, network.most) * network.width) : 0;
  const extras = EXTRA_NUMBERS[ends] ?? 0;
  const shape = { levels: sizes, classes, legacy: network.legacy, extras, protos };
  const detect = buildDetect(builder, shape);
  return (tape, { inputIds }) =>
    tape.call([inputIds], () => {
      tape.graph?.hold(inputIds);
      const found = tape.call([], () =>
        detect(
          tape,
          maps(tape, inputIds).map(x => tape.name(x)),
        ),
      );
      if (run.task !== 'train') return catAll(tape, found);
      return tape.during(LOGITS, () => detectionLoss(tape, found, { ...shape, batch: run.batch.rows }));
    });
}

/** YOLO v5u, v8 and 11 of Ultralytics: detection, masks, keypoints, rotated boxes and classes. */
export const ultralytics: Architecture = {
  modelTypes: ['ultralytics'],
  source: 'ultralytics 8.3.252, nn/tasks.py, nn/modules/*.py, utils/loss.py, utils/tal.py',
  samples: 'images',
  checkpoints: false,
  heads: ['detector', 'segmenter', 'image-classification'],
  assumes: ({ extra }) => [
    phrase`${String(extra['num_classes'])} classes, as the model was made for`,
    ...(extra['ends'] === 'segment' ? [phrase`7 objects an image, as COCO has`] : []),
  ],
  build,
};

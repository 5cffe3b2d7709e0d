import type { Architecture, Model } from '../architecture';
import { buildConvolution, elementsOf, imagesOf, sequence } from '../blocks/images/layers';
import type { FeatureMaps } from '../blocks/images/layers';
import { buildPatchBackbone } from '../blocks/images/segmentation/patchBackbone';
import { buildFcnHead, buildUperHead, summed } from '../blocks/images/segmentation/uperHead';
import { flag, stated } from '../configValues';
import type { Builder, Step } from '../modules';
import { interpolate } from '../ops/pooling';
import type { MemoryRun } from '../run';

/** Sizes of levels relative to the patches (mmseg configs/_base_/models/upernet_vit-b16_ln_mln.py). */
const SCALES = [4, 2, 1, 0.5] as const;
const CHANNELS = 512;
const AUXILIARY_CHANNELS = 256;

interface Level {
  readonly run: Step;
  readonly to: FeatureMaps;
}

/** MultiLevelNeck: each level is projected, resized, and convolved. */
function buildLevel(builder: Builder, from: FeatureMaps, factor: number): Level {
  const { channels } = from;
  const to = { ...from, height: from.height * factor, width: from.width * factor };
  const lateral = sequence(buildConvolution(builder, from, { channels, size: 1, bias: true }).steps);
  const convolve = sequence(
    buildConvolution(builder, to, { channels, size: 3, padding: 1, bias: true }).steps,
  );
  return {
    to,
    run: (tape, x) =>
      tape.call([x], () => {
        const projected = tape.name(lateral(tape, x));
        return convolve(tape, tape.name(interpolate(tape, projected, elementsOf(to))));
      }),
  };
}

function build(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const images = imagesOf(run);
  const classes = stated(model, 'classes', 0);
  const backbone = buildPatchBackbone(builder, run);
  const levels = SCALES.map(factor =>
    flag(model, 'neck') ? buildLevel(builder, backbone.to, factor) : null,
  );
  const sizes = levels.map(level => level?.to ?? backbone.to);
  const [, , , last = backbone.to] = sizes;
  const decode = buildUperHead(builder, { levels: sizes, images, channels: CHANNELS, classes });
  const auxiliary = buildFcnHead(builder, last, { images, channels: AUXILIARY_CHANNELS, classes });
  return (tape, { inputIds }) =>
    tape.call([inputIds], () => {
      const taken = tape.call([], () => backbone.run(tape, inputIds));
      const maps = taken.map(x => tape.name(x));
      const features = maps.map((x, i) => {
        const level = levels[i];
        return level ? tape.name(level.run(tape, x)) : x;
      });
      const [top] = features.slice(-1);
      const losses = [decode(tape, features), ...(top ? [auxiliary(tape, top)] : [])];
      return summed(tape, losses);
    });
}

/** UPerNet of mmsegmentation over a ViT: segmentation with a pyramid head and an auxiliary one. */
export const uperNet: Architecture = {
  modelTypes: ['upernet_vit'],
  source:
    'mmsegmentation 0.30.0 and 1.2.2, models/backbones/vit.py, necks/multilevel_neck.py, decode_heads/*.py',
  samples: 'images',
  checkpoints: false,
  heads: ['segmenter'],
  build,
};

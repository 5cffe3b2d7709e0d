import type { Architecture, Model } from '../architecture';
import { imagesOf } from '../blocks/images/layers';
import { buildBackbone } from '../blocks/images/detection/backbone';
import type { BackboneDesign } from '../blocks/images/detection/backbone';
import { detectorHeads } from '../blocks/images/detection/heads';
import { normNamed } from '../blocks/images/detection/norms';
import { buildSwinBackbone } from '../blocks/images/detection/swinBackbone';
import type { Features } from '../blocks/images/detection/swinBackbone';
import type { FeatureMaps } from '../blocks/images/layers';
import { flag, numbers, stated } from '../configValues';
import type { Builder } from '../modules';
import { add } from '../ops/pointwise';
import type { MemoryRun } from '../run';

/** Images of a batch are padded to a multiple of this (detectron2 FPN.size_divisibility; mmdet pad_size_divisor). */
const MULTIPLE = 32;

const padded = (pixels: number): number => Math.ceil(pixels / MULTIPLE) * MULTIPLE;

function build(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const sizes = imagesOf(run);
  const images = { ...sizes, height: padded(sizes.height), width: padded(sizes.width) };
  const neck = model.extra['neck'];
  const design: BackboneDesign = {
    bottleneck: true,
    groups: stated(model, 'groups', 1),
    widthPerGroup: stated(model, 'width_per_group', 64),
    norm: normNamed(model.extra['norm']),
    strideFirst: flag(model, 'stride_first'),
    blocks: numbers(model, 'blocks'),
    frozen: stated(model, 'frozen', 0),
    dilated: neck === 'dc5',
  };
  const backbone =
    model.extra['window'] === undefined
      ? resnet(builder, images, design, neck === 'c4' ? 3 : 4)
      : buildSwinBackbone(builder, images, run);
  const heads = detectorHeads(builder, run, { design, stages: backbone.sizes });
  return (tape, { inputIds }) =>
    tape.call([inputIds], () =>
      heads(tape, backbone.run(tape, inputIds)).reduce((sum, loss) => add(tape, sum, loss)),
    );
}

function resnet(builder: Builder, images: FeatureMaps, design: BackboneDesign, stages: number): Features {
  const backbone = buildBackbone(builder, images, design, stages);
  return {
    sizes: backbone.stages.map(({ to }) => to),
    run: (tape, pixels) => {
      let states = tape.name(backbone.stem(tape, pixels));
      return backbone.stages.map(({ steps, to }) => {
        for (const step of steps) states = tape.name(step(tape, states));
        return { x: states, at: to };
      });
    },
  };
}

/** R-CNNs and RetinaNet over a ResNet or a Swin: every row has the largest image of the config's resizing. */
export const detector: Architecture = {
  modelTypes: ['detector'],
  source: 'detectron2 02b5c4e, modeling/**; mmdet 3.3.0, models/**',
  samples: 'images',
  checkpoints: false,
  heads: ['detector'],
  missing: ({ extra }) => (extra['neck'] === undefined ? ['what follows its backbone (FPN, C4 or DC5)'] : []),
  build,
};

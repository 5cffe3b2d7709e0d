import type { Architecture, Model } from '../architecture';
import {
  buildNormedConvolution,
  buildStage,
  globalPooling,
  imageClassifier,
  imagesOf,
  maxPooling,
  sequence,
} from '../blocks/images/layers';
import type { Layers } from '../blocks/images/layers';
import { buildResidualBlock, expansionOf } from '../blocks/images/residual';
import type { ResidualDesign } from '../blocks/images/residual';
import { flag, numbers, stated } from '../configValues';
import type { Builder, Step } from '../modules';
import { reluInPlace } from '../ops/inPlace';
import type { MemoryRun } from '../run';

const FIRST_PLANES = 64;

function build(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const design: ResidualDesign = {
    bottleneck: flag(model, 'bottleneck'),
    groups: stated(model, 'groups', 1),
    widthPerGroup: stated(model, 'width_per_group', 64),
  };
  const stem = { channels: FIRST_PLANES, size: 7, stride: 2, padding: 3 };
  const first = buildNormedConvolution(builder, imagesOf(run), stem, reluInPlace);
  const pool = maxPooling(first.to, { size: 3, stride: 2, padding: 1 });
  let last: Layers = pool;
  const stages = numbers(model, 'blocks').flatMap((blocks, i): readonly Step[] => {
    const shape = { ...design, planes: FIRST_PLANES * 2 ** i, stride: i === 0 ? 1 : 2 };
    const block = (stride: number) => (from: Layers['to']) =>
      buildResidualBlock(builder, from, { ...shape, stride });
    last = buildStage(builder, last.to, { blocks, first: block(shape.stride), other: block(1) });
    return last.steps;
  });
  const average = globalPooling(last.to);
  const inputs = FIRST_PLANES * 8 * expansionOf(design);
  const classes = { name: 'fc', inputs, outputs: stated(model, 'num_classes', 0), bias: true };
  const start = [...first.steps, ...pool.steps];
  return imageClassifier(sequence([...start, ...stages, ...average.steps, builder.linear(classes)]));
}

/** ResNet, ResNeXt, Wide ResNet. */
export const torchvisionResnet: Architecture = {
  modelTypes: ['torchvision_resnet'],
  source: 'torchvision 0.29.2, models/resnet.py',
  samples: 'images',
  checkpoints: false,
  heads: ['image-classification'],
  build,
};

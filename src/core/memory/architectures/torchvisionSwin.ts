import type { Architecture, Model } from '../architecture';
import {
  buildConvolution,
  globalPooling,
  imageClassifier,
  imagesOf,
  sequence,
} from '../blocks/images/layers';
import { buildMerging, buildSwinStage } from '../blocks/images/swinStages';
import { buildLayerNorm } from '../blocks/norm';
import { numbers, stated } from '../configValues';
import type { Builder, Step } from '../modules';
import type { MemoryRun } from '../run';

function build(builder: Builder, run: MemoryRun): Model {
  const { model } = run;
  const window = stated(model, 'window', 1);
  const drops = run.task === 'train' && stated(model, 'stochastic_depth', 0) > 0;
  const stem = { channels: stated(model, 'width', 0), size: 4, stride: 4, bias: true };
  const first = buildConvolution(builder, imagesOf(run), stem);
  const features: Step[] = [sequence([...first.steps, buildLayerNorm(builder, first.to.channels)])];
  const heads = numbers(model, 'heads');
  const depths = numbers(model, 'blocks');
  let maps = first.to;
  depths.forEach((blocks, i) => {
    const stage = { blocks, heads: heads[i] ?? 1, window, drops, isFirst: i === 0 };
    features.push(...buildSwinStage(builder, maps, stage).steps);
    if (i === depths.length - 1) return;
    const merging = buildMerging(builder, maps);
    features.push(...merging.steps);
    maps = merging.to;
  });
  const norm = buildLayerNorm(builder, maps.channels);
  const pool = globalPooling(maps, true);
  const classes = {
    name: 'head',
    inputs: maps.channels,
    outputs: stated(model, 'num_classes', 0),
    bias: true,
  };
  return imageClassifier(sequence([sequence(features), norm, ...pool.steps, builder.linear(classes)]));
}

export const torchvisionSwin: Architecture = {
  modelTypes: ['torchvision_swin'],
  source: 'torchvision 0.29.2, models/swin_transformer.py',
  samples: 'images',
  checkpoints: false,
  heads: ['image-classification'],
  build,
};

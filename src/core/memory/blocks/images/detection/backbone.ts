import type { Builder, Step } from '../../../modules';
import { reluInPlace } from '../../../ops/inPlace';
import { buildNormedConvolution, buildStage, maxPooling, sequence } from '../layers';
import type { FeatureMaps, Layers } from '../layers';
import { buildResidualBlock } from '../residual';
import type { ResidualDesign } from '../residual';

/** A ResNet with its first parts frozen. */
export interface BackboneDesign extends ResidualDesign {
  /** Blocks per stage. */
  readonly blocks: readonly number[];
  /** The stem and one stage fewer than this number are frozen. */
  readonly frozen: number;
  /** The last stage uses dilation instead of downsampling. */
  readonly dilated: boolean;
}

/** Stages with their output maps. */
interface Backbone {
  readonly stem: Step;
  readonly stages: readonly Layers[];
}

const FIRST_PLANES = 64;

/** One stage of a ResNet, from 0. */
export function buildResnetStage(
  builder: Builder,
  from: FeatureMaps,
  design: BackboneDesign,
  i: number,
): Layers {
  const isLast = i === design.blocks.length - 1;
  const shape = { ...design, planes: FIRST_PLANES * 2 ** i };
  const block = (stride: number) => (maps: FeatureMaps) =>
    buildResidualBlock(builder, maps, { ...shape, stride });
  const stride = i === 0 || (isLast && design.dilated) ? 1 : 2;
  return buildStage(builder, from, { blocks: design.blocks[i] ?? 0, first: block(stride), other: block(1) });
}

/** The stem and the first `stages` stages. */
export function buildBackbone(
  builder: Builder,
  images: FeatureMaps,
  design: BackboneDesign,
  stages = design.blocks.length,
): Backbone {
  const part = <T>(isFrozen: boolean, make: () => T): T => (isFrozen ? builder.frozen(make) : make());
  const shape = { channels: FIRST_PLANES, size: 7, stride: 2, padding: 3 };
  const first = part(design.frozen > 0, () =>
    buildNormedConvolution(builder, images, shape, reluInPlace, design.norm),
  );
  const pool = maxPooling(first.to, { size: 3, stride: 2, padding: 1 });
  let from = pool.to;
  const made = Array.from({ length: stages }, (_, i) => {
    const stage = part(design.frozen > i + 1, () => buildResnetStage(builder, from, design, i));
    from = stage.to;
    return stage;
  });
  return { stem: sequence([...first.steps, ...pool.steps]), stages: made };
}

import type { Builder, Step } from '../../modules';
import { groupNorm } from '../../ops/norm';
import type { FeatureMaps } from '../images/layers';

/** UNet2DConditionModel's norm_num_groups. */
const GROUPS = 32;

/** torch.nn.GroupNorm over the maps of each image. */
export function buildGroupNorm(builder: Builder, { channels, batch }: FeatureMaps): Step {
  const norm = { weight: builder.vector(channels), bias: builder.vector(channels), groups: batch * GROUPS };
  return (tape, x) => groupNorm(tape, x, norm);
}

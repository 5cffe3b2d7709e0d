import { numbers, stated } from '../../../configValues';
import type { Builder } from '../../../modules';
import { copy } from '../../../ops/shape';
import type { MemoryRun } from '../../../run';
import type { Tape } from '../../../tape';
import type { Tensor } from '../../../tensor';
import { buildLayerNorm } from '../../norm';
import { buildConvolution, sequence } from '../layers';
import type { FeatureMaps } from '../layers';
import { buildMerging, buildSwinStage } from '../swinStages';
import type { Maps } from './maps';

/** Maps of each stage, lowest first. */
export interface Features {
  readonly sizes: readonly FeatureMaps[];
  readonly run: (tape: Tape, pixels: Tensor) => readonly Maps[];
}

/** SwinTransformer of mmdet (models/backbones/swin.py): each stage's output is normalized and laid out as maps. */
export function buildSwinBackbone(
  builder: Builder,
  images: FeatureMaps,
  { model, task }: MemoryRun,
): Features {
  const window = stated(model, 'window', 1);
  const heads = numbers(model, 'attention_heads');
  const depths = numbers(model, 'blocks');
  const stem = { channels: stated(model, 'width', 0), size: 4, stride: 4, bias: true };
  const first = buildConvolution(builder, images, stem);
  const embed = sequence([...first.steps, buildLayerNorm(builder, first.to.channels)]);
  let from = first.to;
  const stages = depths.map((blocks, i) => {
    const shape = { blocks, heads: heads[i] ?? 1, window, drops: task === 'train', isFirst: i === 0 };
    const stage = buildSwinStage(builder, from, shape);
    const at = stage.to;
    const merging = i < depths.length - 1 ? buildMerging(builder, at) : null;
    from = merging?.to ?? at;
    return { stage: sequence(stage.steps), at, merge: merging && sequence(merging.steps) };
  });
  const norms = stages.map(({ at }) => buildLayerNorm(builder, at.channels));
  return {
    sizes: stages.map(({ at }) => at),
    run: (tape, pixels) => {
      let states = tape.name(embed(tape, pixels));
      return stages.map(({ stage, at, merge }, i) => {
        const out = tape.rename(states, stage(tape, states));
        states = merge ? tape.name(merge(tape, out)) : out;
        return { x: tape.name(copy(tape, norms[i]?.(tape, out) ?? out)), at };
      });
    },
  };
}

import type { RunReader } from '../engine/runReader';
import type { NetworkClass } from '../../models/network';

/** Heads whose layers are described, over a ResNet or a U-Net (core/network/libraries/mmseg.py), with the layers of each that can be set. */
const HEADS: ReadonlySet<string> = new Set([
  'FCNHead',
  'PSPHead',
  'ASPPHead',
  'DepthwiseSeparableASPPHead',
  'UPerHead',
]);

const BACKBONE = 'model.backbone';
const HEAD = 'model.decode_head';
const AUXILIARY = 'model.auxiliary_head';

/** A segmenter of mmsegmentation; null for parts that are not described. */
export function segmenterOf(run: RunReader): NetworkClass | null {
  const head = run.word(`${HEAD}.type`) ?? '';
  const channels = run.count(`${HEAD}.channels`);
  const classes = run.count(`${HEAD}.num_classes`);
  const auxiliary = run.has(AUXILIARY) ? auxiliaryOf(run) : 0;
  const body = backboneOf(run, head);
  if (run.word('model.type') !== 'EncoderDecoder' || body === null || !HEADS.has(head)) return null;
  if (channels === null || classes === null || auxiliary === null) return null;
  return {
    path: 'mmseg.EncoderDecoder',
    arguments: {
      ...{ head, channels, classes, auxiliary },
      ...body,
      num_convs: run.count(`${HEAD}.num_convs`) ?? 2,
      concat_input: run.flag(`${HEAD}.concat_input`) ?? true,
      c1_channels: run.count(`${HEAD}.c1_channels`) ?? 48,
    },
    library: null,
    config: {},
  };
}

/** A U-Net of five stages under a plain head, or a ResNet; null: another backbone. */
function backboneOf(run: RunReader, head: string): NetworkClass['arguments'] | null {
  const backbone = run.word(`${BACKBONE}.type`) ?? '';
  const depth = run.count(`${BACKBONE}.depth`);
  if (backbone === 'UNet' && (run.count(`${BACKBONE}.num_stages`) ?? 5) === 5) {
    return head === 'FCNHead' ? { width: run.count(`${BACKBONE}.base_channels`) ?? 64 } : null;
  }
  const isKnown = /^ResNet(?:V1[cd])?$/.test(backbone) && depth !== null;
  return isKnown ? { depth, deep: backbone !== 'ResNet', stride: strideOf(run) } : null;
}

/** Channels of the head on the third stage that only training has; null: another head. */
const auxiliaryOf = (run: RunReader): number | null =>
  run.word(`${AUXILIARY}.type`) === 'FCNHead' ? run.count(`${AUXILIARY}.channels`) : null;

/** The stem shrinks an image four times, and the later stages by their strides (mmseg/models/backbones/resnet.py). */
function strideOf(run: RunReader): number {
  const strides = [1, 2, 3].map(at => run.count(`${BACKBONE}.strides[${at}]`) ?? 2);
  return strides.reduce((all, one) => all * one, 4);
}

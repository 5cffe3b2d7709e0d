import { flag, stated } from '../../../configValues';
import type { Builder } from '../../../modules';
import { mean } from '../../../ops/pointwise';
import { pick } from '../../../ops/shape';
import type { MemoryRun } from '../../../run';
import type { Tape } from '../../../tape';
import type { Tensor } from '../../../tensor';
import { elementsOf } from '../layers';
import type { BuildNorm, FeatureMaps } from '../layers';
import { buildResnetStage } from './backbone';
import type { BackboneDesign } from './backbone';
import { buildDenseHead, buildSemanticHead } from './dense';
import type { Maps } from './maps';
import { normNamed } from './norms';
import { buildProposals } from './proposals';
import { buildPyramid } from './pyramid';
import { MAP_SIDE, buildBoxHead, buildMapHead, buildPredictor, regionsOf } from './regions';
import type { RegionHead } from './regions';

/** The network below the heads. */
interface Trunk {
  readonly design: BackboneDesign;
  readonly stages: readonly FeatureMaps[];
}

/** The parts of the loss. */
type Losses = (tape: Tape, features: readonly Maps[]) => readonly Tensor[];

/** Training regions per image, and those of them that contain an object (detectron2 config/defaults.py). */
const REGIONS = 512;
const POSITIVE = REGIONS / 4;
/** Anchor sizes and aspect ratios per position: all on a single level, or one size per level. */
const ANCHORS = { one: 15, pyramid: 3, dense: 9 } as const;
const PYRAMID_WIDTH = 256;
const BOX_WIDTH = 1024;
const BOX_SIDE = 7;
const SEMANTIC = { width: 128, classes: 54 } as const;

const has = (run: MemoryRun, head: string): boolean => {
  const heads = run.model.extra['heads'];
  return Array.isArray(heads) && heads.includes(head);
};

/** Norms of the pyramid and of convolutions over regions; null: none. */
function headNorm({ model }: MemoryRun): BuildNorm | null {
  const name = model.extra['head_norm'];
  return name === undefined ? null : normNamed(name);
}

/** Cascades only use linear layers. */
const boxNorm = (run: MemoryRun): BuildNorm | null => (has(run, 'cascade') ? null : headNorm(run));

/** Everything after the backbone. */
export function detectorHeads(builder: Builder, run: MemoryRun, trunk: Trunk): Losses {
  const neck = run.model.extra['neck'];
  if (neck === 'c4') return sharedStage(builder, run, trunk);
  return neck === 'fpn' ? pyramidLosses(builder, run, trunk) : lastStageLosses(builder, run, trunk);
}

function pyramidLosses(builder: Builder, run: MemoryRun, { stages }: Trunk): Losses {
  const channels = PYRAMID_WIDTH;
  const dense = has(run, 'dense');
  const used = dense ? stages.slice(1) : stages;
  const norm = headNorm(run);
  const pyramid = buildPyramid(builder, used, { channels, top: dense ? 'convolutions' : 'pool', norm });
  if (dense) {
    const head = buildDenseHead(builder, channels, ANCHORS.dense, stated(run.model, 'classes', 0));
    return (tape, features) => tape.call([], () => head(tape, pyramid(tape, features.slice(1))));
  }
  const heads = regionHeads(builder, run, channels, ANCHORS.pyramid);
  const levels = used.map(at => ({ ...at, channels }));
  const semantic = has(run, 'semantic')
    ? buildSemanticHead(builder, levels, { ...SEMANTIC, norm: normNamed('group') })
    : null;
  return (tape, features) =>
    tape.call([], () => {
      const made = pyramid(tape, features);
      const pixels = semantic ? [semantic(tape, made.slice(0, used.length))] : [];
      return [...pixels, ...heads(tape, made, made.slice(0, used.length))];
    });
}

function lastStageLosses(builder: Builder, run: MemoryRun, { stages }: Trunk): Losses {
  const channels = stages.at(-1)?.channels ?? 0;
  const heads = regionHeads(builder, run, channels, ANCHORS.one);
  return (tape, features) => heads(tape, features.slice(-1), features.slice(-1));
}

type OnLevels = (tape: Tape, levels: readonly Maps[], pooled: readonly Maps[]) => readonly Tensor[];

/** Proposals over all levels; boxes, masks and keypoints over regions of the pooled levels. */
function regionHeads(builder: Builder, run: MemoryRun, channels: number, anchors: number): OnLevels {
  const { model } = run;
  const batch = run.batch.rows;
  const classes = stated(model, 'classes', 0);
  const proposals = flag(model, 'proposals') ? buildProposals(builder, channels, anchors) : null;
  const cascade = has(run, 'cascade');
  const times = cascade ? 3 : has(run, 'box') ? 1 : 0;
  const regions = { batch: batch * REGIONS, channels, height: BOX_SIDE, width: BOX_SIDE };
  const shape = { regions, width: BOX_WIDTH, classes, boxes: cascade ? 1 : classes, norm: boxNorm(run) };
  const boxes = Array.from({ length: times }, () => buildBoxHead(builder, shape));
  const maps = mapHeads(builder, run, channels, classes);
  return (tape, levels, pooled) => {
    const losses = proposals ? [...proposals(tape, levels)] : [];
    for (const box of boxes) {
      losses.push(tape.call([], () => box(tape, pooledAt(tape, pooled, regions.batch, BOX_SIDE))));
    }
    for (const head of maps) {
      losses.push(tape.call([], () => head(tape, pooledAt(tape, pooled, batch * POSITIVE, MAP_SIDE))));
    }
    return losses;
  };
}

function pooledAt(tape: Tape, levels: readonly Maps[], regions: number, side: number): Maps {
  const { x, at } = regionsOf(tape, levels, regions, side);
  return { x: tape.name(x), at };
}

const KEYPOINTS = 17;

function mapHeads(builder: Builder, run: MemoryRun, inputs: number, classes: number): readonly RegionHead[] {
  const count = run.batch.rows * POSITIVE;
  const norm = headNorm(run);
  const mask = { inputs, count, width: 256, convolutions: 4, outputs: classes, keypoints: false, norm };
  const keypoints = { ...mask, width: 512, convolutions: 8, outputs: KEYPOINTS, keypoints: true, norm: null };
  return [
    ...(has(run, 'mask') ? [buildMapHead(builder, mask)] : []),
    ...(has(run, 'keypoint') ? [buildMapHead(builder, keypoints)] : []),
  ];
}

/** Res5ROIHeads: the backbone's last stage runs over every region. */
function sharedStage(builder: Builder, run: MemoryRun, { design, stages }: Trunk): Losses {
  const { model } = run;
  const batch = run.batch.rows;
  const last = stages.at(-1);
  const channels = last?.channels ?? 0;
  const classes = stated(model, 'classes', 0);
  const proposals = flag(model, 'proposals') ? buildProposals(builder, channels, ANCHORS.one) : null;
  const regions = batch * REGIONS;
  const at: FeatureMaps = { batch: regions, channels, height: 14, width: 14 };
  const stage = has(run, 'box') ? buildResnetStage(builder, at, design, 3) : null;
  const predict = stage ? buildPredictor(builder, stage.to.channels, classes, classes) : null;
  const count = batch * POSITIVE;
  const plain = { keypoints: false, norm: null };
  const shape = { inputs: 2048, count, width: 256, convolutions: 0, outputs: classes, ...plain };
  const mask = has(run, 'mask') ? buildMapHead(builder, shape) : null;
  return (tape, features) =>
    tape.call([], () => {
      const losses = proposals ? [...proposals(tape, features.slice(-1))] : [];
      if (!stage || !predict) return losses;
      let { x } = pooledAt(tape, features.slice(-1), regions, 14);
      for (const step of stage.steps) x = tape.rename(x, step(tape, x));
      losses.push(predict(tape, tape.name(mean(tape, x, stage.to.height * stage.to.width))));
      if (mask) {
        const positive = { ...stage.to, batch: batch * POSITIVE };
        const chosen = tape.name(pick(tape, x, null, elementsOf(positive)));
        losses.push(mask(tape, { x: chosen, at: positive }));
      }
      return losses;
    });
}

import { builtIn } from './defined/compile';
import file from './detectron2.yaml';
import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import type { RunReader } from './engine/runReader';
import { largestSquare, pixels } from './shared/vision';
import type { Size } from './shared/vision';
import { ownOf } from '../yaml/tables';

const SOURCE = 'detectron2/config/defaults.py';

const KINDS: Readonly<Record<string, string>> = { PanopticFPN: 'panoptic_fpn', RetinaNet: 'retinanet' };

/** Names of R-CNN variants in the model zoo. */
function kindOf(run: RunReader, architecture: string): string | null {
  if (architecture !== 'GeneralizedRCNN') return ownOf(KINDS, architecture) ?? null;
  if (run.flag('MODEL.KEYPOINT_ON')) return 'keypoint_rcnn';
  if (!run.flag('MODEL.MASK_ON')) return 'faster_rcnn';
  return run.word('MODEL.ROI_HEADS.NAME') === 'CascadeROIHeads' ? 'cascade_mask_rcnn' : 'mask_rcnn';
}

function trunkOf(run: RunReader, depth: number): string {
  const groups = run.count('MODEL.RESNETS.NUM_GROUPS') ?? 1;
  const width = run.count('MODEL.RESNETS.WIDTH_PER_GROUP') ?? 64;
  return groups > 1 ? `X_${depth}_${groups}x${width}d` : `R_${depth}`;
}

/** maskrcnn-benchmark, from which Detectron2 has its keys, says depth and neck in one: modeling/backbone/backbone.py. */
const BODY = 'MODEL.BACKBONE.CONV_BODY';

function ofBody(run: RunReader, body: string, kind: string | null): Quantity<string> {
  const [, depth, neck] = /^R-(\d{2,3})-(C4|C5|FPN)(?:-RETINANET)?$/.exec(body) ?? [];
  if (depth === undefined || kind === null) return run.at(BODY, body);
  const head = run.flag('MODEL.RETINANET_ON') === true ? 'retinanet' : kind;
  const name = `${head}_${trunkOf(run, Number(depth))}_${neck}`;
  return run.derived(name, ['MODEL.META_ARCHITECTURE', BODY], `${head} on ${body}`);
}

/** The model zoo's name for the model that the keys describe; other architectures keep their own name. */
function model(run: RunReader): Quantity<string> {
  const base = run.get('globalBatchSize');
  if (base.value === null) return run.unknown('A base of this config is missing.');
  const key = 'MODEL.META_ARCHITECTURE';
  // Without the key the default would apply; but then the file is a base of others, which state it.
  const architecture = run.word(key);
  if (architecture === null) return run.unknown(`${key} is not set: the config is laid beneath others.`);
  const kind = kindOf(run, architecture);
  const body = run.word(BODY);
  if (body !== null) return ofBody(run, body, kind);
  const backbone = run.word('MODEL.BACKBONE.NAME') ?? 'build_resnet_backbone';
  if (kind === null || !backbone.includes('resnet')) {
    return run.at(key, architecture);
  }
  const trunk = trunkOf(run, run.count('MODEL.RESNETS.DEPTH') ?? 50);
  const dilated = run.count('MODEL.RESNETS.RES5_DILATION') === 2;
  const neck = backbone.includes('fpn') ? 'FPN' : dilated ? 'DC5' : 'C4';
  return run.derived(
    kind === 'panoptic_fpn' ? `${kind}_${trunk}` : `${kind}_${trunk}_${neck}`,
    [key, 'MODEL.BACKBONE.NAME', 'MODEL.RESNETS.DEPTH'],
    `${architecture} on ${backbone}`,
  );
}

/** The largest sampled short side, and the limit of the longer one. */
function imageSize(run: RunReader): Quantity<Size> {
  const square = run.read('INPUT.IMAGE_SIZE', largestSquare);
  if (square !== null) return run.at('INPUT.IMAGE_SIZE', square);
  // Other kinds of crops are shares of the image.
  const isCropped = run.flag('INPUT.CROP.ENABLED') === true && run.word('INPUT.CROP.TYPE') === 'absolute';
  const crop = isCropped ? run.read('INPUT.CROP.SIZE', pixels('hw')) : null;
  if (crop !== null) return run.at('INPUT.CROP.SIZE', crop);
  if (run.get('globalBatchSize').value === null) {
    return run.unknown('A base of this config is missing.');
  }
  const short = run.read('INPUT.MIN_SIZE_TRAIN', largestSquare)?.[0] ?? 800;
  const long = run.count('INPUT.MAX_SIZE_TRAIN') ?? 1333;
  const keys = ['INPUT.MIN_SIZE_TRAIN', 'INPUT.MAX_SIZE_TRAIN'];
  const isStated = keys.some(key => run.has(key));
  const size: Size = [Math.max(long, short), short];
  return isStated
    ? run.derived(size, keys, 'the longest and the largest short side that are drawn')
    : run.byDefault(size, `${SOURCE} L56-63`);
}

/**
 * Detectron2's configs and those of projects based on it; sources are files of facebookresearch/detectron2 02b5c4e
 * (0.6).
 */
export const detectron2: Dialect = builtIn(file, { quantities: { model, imageSize } });

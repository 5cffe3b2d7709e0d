import { builtIn } from './defined/compile';
import type { Dialect } from './dialect';
import { withBases } from './engine/bases';
import type { Composition, Layer, NearbyFiles } from './engine/compose';
import type { ValueReader } from './engine/readers';
import type { RunReader } from './engine/runReader';
import file from './openmmlab.yaml';
import { trainedSize } from './openmmlab/images';
import { modelByName } from './openmmlab/models';
import { namedBase } from './openmmlab/named';
import { withoutReplaced } from './openmmlab/replaced';
import { composed } from './generic/ownNetwork';
import type { NetworkClass } from '../models/network';
import type { Quantity } from '../spec/quantity';
import { entryOf, resolve } from '../yaml/path';
import { ownOf } from '../yaml/tables';

const bases = withBases({ keys: ['_base_'], shipped: namedBase });

/** A config with the files of `_base_`; what it replaces as a whole (`_delete_=True`) is no part of it. */
async function compose(opened: Layer, files: NearbyFiles): Promise<readonly Composition[]> {
  const found = await bases(opened, files);
  return found.filter(isRun).map(withoutReplaced);
}

/** A part that others lie on has a model, data or a schedule alone. */
function isRun({ layers: [own], beneath = [], gaps = [] }: Composition): boolean {
  const layers = [own, ...beneath];
  const has = (...keys: readonly string[]): boolean =>
    layers.some(({ yaml, document }) => {
      const root = yaml.documents[document]?.root;
      const at = root ? resolve(root) : null;
      return at?.kind === 'map' && keys.some(key => entryOf(at, key) !== null);
    });
  const isWhole = has('model') && has('train_dataloader', 'data') && has('optim_wrapper', 'optimizer');
  return isWhole || (gaps.length > 0 && has('model', 'train_dataloader', 'data'));
}

const AMP: Readonly<Record<string, string>> = {
  bfloat16: 'bf16-mixed',
  float16: 'fp16-mixed',
  AmpOptimWrapper: 'fp16-mixed',
  ApexOptimWrapper: 'fp16-mixed',
};

/** A section (`fp16 = dict(loss_scale=512.)`), a flag (`--amp`), or the name of a dtype or a wrapper. */
const precisionOf: ValueReader<string> = value => {
  if (value === null || value === false) return null;
  if (typeof value === 'string') return { ok: ownOf(AMP, value) ?? 'fp32' };
  return { ok: 'fp16-mixed' };
};

/** What models are made for, by their types. */
const TASKS: readonly (readonly [type: RegExp, task: string])[] = [
  [/Classifier$/, 'classification'],
  [/EncoderDecoder$|MaskFormer$|Mask2Former$/, 'segmentation'],
  [/^Recognizer/, 'video_classification'],
  [/Pose|^TopDown|^BottomUp|^AssociativeEmbedding/, 'pose_estimation'],
  [
    /RCNN|Net$|DETR|DINO|YOLO|RTMDet|FCOS|ATSS|Detector$|VFNet|SOLO|RPN|GFL|PAA|TOOD|DDOD/,
    'object_detection',
  ],
];

function task(run: RunReader): Quantity<string> {
  const type = run.word('model.type') ?? '';
  const [, found] = TASKS.find(([words]) => words.test(type)) ?? [];
  return found === undefined
    ? run.unknown('What the model is made for is not known.')
    : run.derived(found, ['model.type'], 'what the model is made for');
}

/** The network that its section describes (core/network/libraries/openmmlab.py). */
function described(run: RunReader): NetworkClass | null {
  const { model } = composed(run);
  if (model === undefined) return null;
  return { path: 'openmmlab.build', arguments: { model }, library: null, config: {} };
}

/**
 * MMEngine's configs, and those of its predecessor in mmcv 1; sources are files of open-mmlab/mmengine 0.10.7, mmdetection 3.3.0,
 * mmsegmentation 1.2.2 and mmpretrain 1.2.0.
 */
export const openmmlab: Dialect = builtIn(file, {
  quantities: { model: modelByName, imageSize: trainedSize, precision: { read: precisionOf }, task },
  network: described,
  compose,
});

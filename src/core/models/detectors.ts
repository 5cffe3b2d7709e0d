import type { ModelFacts } from './model';
import { noFacts } from './noFacts';
import table from './detectors.json';

type Facts = Readonly<Record<string, unknown>>;

const BLOCKS: Readonly<Record<string, readonly number[]>> = table.depths;
const KINDS: Readonly<Record<string, Facts>> = table.kinds;
const VARIANTS: Readonly<Record<string, Facts>> = table.variants;
const NECKS: Readonly<Record<string, Facts>> = table.necks;

/** `faster_rcnn_R_50_FPN_3x`, `faster-rcnn_r50-caffe_fpn_1x_coco`: kind, backbone, and the rest. */
const NAME =
  /^(.*\/)?([a-z]+(?:[-_][a-z]+)*?)[-_](r|x)[-_]?(50|101|152)(?:[-_](\d+)x(\d+)d)?((?:[-_][a-z0-9]+)*)(?:\.(?:yaml|py))?$/i;

/** `mask-rcnn_swin-t-p4-w7_fpn_ms-crop-3x_coco`: only in mmdet; nothing frozen, all norms trained. */
const SWIN = /^(?:.*\/)?([a-z]+(?:[-_][a-z]+)*?)[-_]swin-([tsb])-p4-w7[-_]((?:[a-z0-9][-_]?)*)(?:\.py)?$/i;
const SWINS: Readonly<Record<string, Facts>> = table.swins;

function swinDetector(name: string): ModelFacts | null {
  const [, kind = '', size = '', rest = ''] = SWIN.exec(name.trim()) ?? [];
  const facts = KINDS[kind.toLowerCase().replaceAll('-', '_')];
  const swin = SWINS[size.toLowerCase()];
  if (!facts || !swin) return null;
  // A batch with randomly cropped images can contain both orientations: it is square, with the longest side.
  const crop = rest.toLowerCase().includes('crop') ? { image_height: table.libraries.mmdet.image_width } : {};
  const extra = { ...table.libraries.mmdet, ...facts, ...swin, ...crop };
  return { ...noFacts, kind: 'vision', id: name.trim(), modelType: 'detector', extra };
}

/** The libraries differ in their names: detectron2 uses underscores only. */
const isDetectron = (name: string): boolean => /_[RX]_\d/.test(name);

/** A detector of detectron2's model zoo or of mmdet by its config's name; null for other names. */
export function detectorModel(name: string): ModelFacts | null {
  const found = NAME.exec(name.trim());
  const [, , kind = '', letter = '', depth = '', groups, width, rest = ''] = found ?? [];
  const facts = KINDS[kind.toLowerCase().replaceAll('-', '_')];
  const blocks = BLOCKS[depth];
  if (!facts || !blocks) return swinDetector(name);
  const library = table.libraries[isDetectron(name) ? 'detectron2' : 'mmdet'];
  const words = rest.toLowerCase().split(/[-_]/).filter(Boolean);
  // detectron2's largest detectors have different heads, crops and image sizes.
  if (words.includes('in5k')) return null;
  const named = (from: Readonly<Record<string, Facts>>): Facts =>
    Object.assign({}, ...words.map(word => (Object.hasOwn(from, word) ? from[word] : {}))) as Facts;
  const aggregated = letter.toLowerCase() === 'x';
  const cardinality = { groups: Number(groups ?? 32), width_per_group: Number(width ?? 8) };
  const design = aggregated ? { ...cardinality, stride_first: false } : {};
  const extra = { ...library, ...facts, blocks, ...design, ...named(NECKS), ...named(VARIANTS) };
  return { ...noFacts, kind: 'vision', id: name.trim(), modelType: 'detector', extra };
}

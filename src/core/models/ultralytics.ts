import type { ModelFacts } from './model';
import { noFacts } from './noFacts';
import table from './ultralytics.json';

/** The head of a network. */
type YoloEnd = 'detect' | 'segment' | 'pose' | 'obb' | 'classify';

/** A layer: its inputs (−1: the previous layer), module, output channels and other arguments of the class. */
export interface YoloLayer {
  readonly from: readonly number[];
  readonly module: string;
  /** Repeated modules inside. */
  readonly repeats: number;
  readonly channels: number;
  readonly rest: readonly number[];
}

/** The layers of a network of one size, and the layers whose maps its head takes. */
export interface YoloNetwork {
  readonly layers: readonly YoloLayer[];
  readonly levels: readonly number[];
  /** The head before version 11: without depthwise convolutions. */
  readonly legacy: boolean;
  /** The width factor, and the channel limit before scaling. */
  readonly width: number;
  readonly most: number;
}

type Row = readonly [from: readonly number[], repeats: number, module: string, args: readonly number[]];
type Scale = readonly [depth: number, width: number, most: number];
interface Part {
  readonly scales: Readonly<Record<string, Scale>>;
  readonly backbone: readonly Row[];
}
interface Family extends Part {
  readonly neck: readonly Row[];
  readonly levels: readonly number[];
  readonly classifier?: Part;
}

// TypeScript types JSON rows as nested lists of unions.
const FAMILIES = table.families as unknown as Readonly<Record<string, Family>>;

const ENDS: Readonly<Record<string, YoloEnd>> = {
  '': 'detect',
  seg: 'segment',
  pose: 'pose',
  obb: 'obb',
  cls: 'classify',
};

/** `yolov8n.pt`, `models/yolo11m-seg.yaml`, `ultralytics/yolov5su`. */
const NAME = /^(?:.*[/\\])?yolo(v8|v5|11)([nsmlx])(u?)(?:-(seg|pose|obb|cls))?(?:\.(?:pt|yaml|yml))?$/i;

/** Number of classes: COCO, ImageNet, DOTA; people (cfg/models). */
const CLASSES: Readonly<Record<YoloEnd, number>> = {
  detect: 80,
  segment: 80,
  obb: 15,
  pose: 1,
  classify: 1000,
};

/** An Ultralytics YOLO by the name of its weights or YAML; null for other names. */
export function ultralyticsModel(name: string): ModelFacts | null {
  const [, family = '', size = '', updated = '', suffix = ''] = NAME.exec(name.trim().toLowerCase()) ?? [];
  const ends = ENDS[suffix];
  if (!Object.hasOwn(FAMILIES, family) || ends === undefined) return null;
  // Version 5 has the anchor-free head only with a `u`, and only for detection.
  if (family === 'v5' && (ends !== 'detect' || updated === '')) return null;
  const image = ends === 'classify' ? 224 : 640;
  return {
    ...noFacts,
    kind: 'vision',
    id: name.trim(),
    modelType: 'ultralytics',
    extra: { family, size, ends, num_classes: CLASSES[ends], image_size: image, image_multiple: 32 },
  };
}

/** utils/ops.py, make_divisible by 8. */
export const divisible = (channels: number): number => Math.ceil(channels / 8) * 8;

/** The network that ultralytics/nn/tasks.py, parse_model, builds from a family's rows; null if there is none. */
export function yoloNetwork({ extra }: ModelFacts): YoloNetwork | null {
  const family = FAMILIES[String(extra['family'])];
  const classifies = extra['ends'] === 'classify';
  const part = classifies ? family?.classifier : family;
  const scale = part?.scales[String(extra['size'])];
  if (!family || !part || !scale) return null;
  const [depth, width, most] = scale;
  const rows = [...part.backbone, ...(classifies ? [] : family.neck)];
  const large = LARGE.has(String(extra['size']));
  const layers = rows.map(([from, repeats, module, args]): YoloLayer => {
    const [channels = 0, first = 0, ...others] = args;
    // Sizes m, l and x have three convolutions in each part of a C3k2.
    const rest = module === 'C3k2' && large ? [1, ...others] : [first, ...others];
    return {
      from,
      module,
      rest: args.length > 1 || module === 'C3k2' ? rest : [],
      repeats: repeats > 1 ? Math.max(Math.round(repeats * depth), 1) : repeats,
      channels: divisible(Math.min(channels, most) * width),
    };
  });
  const levels = classifies ? [layers.length - 1] : family.levels;
  return { layers, levels, width, most, legacy: extra['family'] !== '11' };
}

const LARGE: ReadonlySet<string> = new Set(['m', 'l', 'x']);

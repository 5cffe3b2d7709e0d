import { detectorModel } from './detectors';
import type { ModelFacts } from './model';
import { noFacts } from './noFacts';
import { segformerModel } from './segformers';
import { segmenterModel } from './segmenters';
import timm from './timm.json';
import torchvision from './torchvision.json';
import { ultralyticsModel } from './ultralytics';

type Row = Readonly<Record<string, unknown>>;

const TIMM: Readonly<Record<string, Row>> = timm.models;
const TORCHVISION: Readonly<Record<string, Row>> = torchvision.models;

/**
 * `timm/vit_huge_patch14_224.orig_in21k`, `hf-hub:timm/…`, `vit_huge_patch14_224`; the part after the dot names the
 * weights.
 */
const NAME = /^(?:hf[-_]hub:)?(?:timm\/)?([\w-]+)(?:\.[\w-]+)?$/;

/** Former names (timm, register_model_deprecations). */
const FORMER: Readonly<Record<string, string>> = { xception: 'legacy_xception' };

/** Classes of ImageNet. */
const TIMM_DEFAULTS = { num_classes: 1000 };

/** Google's and Meta's own repositories, from whose weights timm's are: `google/vit-large-patch16-224-in21k`. */
const HUB_NAME = /^(?:google|facebook)\/((?:vit|deit)-[\w-]+?)(?:-in21k)?$/;

const hubKey = (name: string): string => HUB_NAME.exec(name)?.[1]?.replaceAll('-', '_') ?? '';

/** A name without patch and image has those of the paper: `vit_large`. */
const rowOf = (name: string): Row | undefined => (Object.hasOwn(TIMM, name) ? TIMM[name] : undefined);

/** A vision transformer by timm's name, for ImageNet; null for other names. */
export function timmModel(name: string): ModelFacts | null {
  const key = NAME.exec(name.trim().toLowerCase())?.[1] ?? hubKey(name.trim().toLowerCase());
  const named = Object.hasOwn(FORMER, key) ? (FORMER[key] ?? key) : key;
  const row = rowOf(named) ?? rowOf(`${named}_patch16_224`);
  if (!row) return null;
  const size = (field: string): number => (typeof row[field] === 'number' ? row[field] : 0);
  const { model_type: modelType, parameters, ...extra } = row;
  const heads = size('num_attention_heads');
  return {
    ...noFacts,
    kind: 'vision',
    id: name.trim(),
    modelType: String(modelType),
    hiddenSize: size('hidden_size'),
    intermediateSize: size('intermediate_size'),
    layers: size('num_hidden_layers'),
    heads,
    kvHeads: heads,
    headDim: heads > 0 ? size('hidden_size') / heads : 0,
    activation: 'gelu',
    norm: 'layernorm',
    normsPerLayer: 2,
    publishedTotal: typeof parameters === 'number' ? parameters : null,
    extra: { ...TIMM_DEFAULTS, ...extra },
  };
}

/** ImageNet's number of classes, and the image side that most models are trained with. */
const DEFAULTS = { num_classes: 1000, image_size: 224 };

/** `torchvision/resnet50`, `torchvision.models.resnet50`, `resnet50`. */
const PREFIX = /^torchvision(?:\.models)?[./]/;

/** A model by torchvision's name (`torchvision.models.resnet50`), for ImageNet; null for other names. */
export function torchvisionModel(name: string): ModelFacts | null {
  const key = name.trim().toLowerCase().replace(PREFIX, '');
  const row = Object.hasOwn(TORCHVISION, key) ? TORCHVISION[key] : undefined;
  if (!row) return null;
  const { model_type: modelType, parameters, ...extra } = row;
  return {
    ...noFacts,
    kind: 'vision',
    id: name.trim(),
    modelType: String(modelType),
    publishedTotal: typeof parameters === 'number' ? parameters : null,
    extra: { ...DEFAULTS, ...extra },
  };
}

/** Microsoft's names of networks that torchvision also has (microsoft/Swin-Transformer, configs/swin). */
const SAME: Readonly<Record<string, string>> = {
  swin_tiny_patch4_window7_224: 'swin_t',
  swin_small_patch4_window7_224: 'swin_s',
  swin_base_patch4_window7_224: 'swin_b',
};

/**
 * An image network by its library's name: torchvision, timm, detectron2, mmdet, mmseg, Ultralytics; null for other
 * names.
 */
export function imageModel(name: string): ModelFacts | null {
  const known = Object.hasOwn(SAME, name) ? (SAME[name] ?? name) : name;
  return (
    torchvisionModel(known) ??
    timmModel(name) ??
    detectorModel(name) ??
    segmenterModel(name) ??
    segformerModel(name) ??
    ultralyticsModel(name)
  );
}

/** Networks around another one: its name comes first in theirs, but most of the memory is elsewhere. */
const AROUND = /unet|fpn|deeplab|psp|r_?cnn|yolo|seg|det|retina|gan|mlp|lstm|vae|clip/;

/**
 * The image network that a project's own class (`models.nets.ResNet18`) or its weights (`resnet50_animals`) are called
 * after; null for other names.
 */
export function imageModelInside(name: string): ModelFacts | null {
  const last = name.trim().toLowerCase().split(/[./]/).at(-1) ?? '';
  const parts = last.split('_');
  for (let count = parts.length; count > 0; count -= 1) {
    const key = parts.slice(0, count).join('_');
    const rest = parts.slice(count).join('_');
    if (!/\d/.test(key) || AROUND.test(rest)) continue;
    const found = torchvisionModel(key) ?? timmModel(key);
    if (found) return { ...found, id: name.trim(), sameAs: key };
  }
  return null;
}

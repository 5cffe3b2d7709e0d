import type { ModelFacts } from './model';
import { noFacts } from './noFacts';

/** Widths and heads of backbones with twelve layers (mmseg configs/vit). */
const BACKBONES: Readonly<Record<string, { readonly hidden: number; readonly heads: number }>> = {
  s16: { hidden: 384, heads: 6 },
  b16: { hidden: 768, heads: 12 },
};

/** Number of classes by the dataset in a config's name (mmseg configs/_base_/datasets). */
const CLASSES: Readonly<Record<string, number>> = { ade20k: 150, cityscapes: 19 };
const LAYERS = 12;

/** `upernet_deit-s16_ln_mln_512x512_160k_ade20k`, `vit_vit-b16_mln_upernet_8xb2-80k_ade20k-512x512`. */
const BACKBONE = /(?:^|_)(?:vit|deit)-([sb]16)(?=[-_])/;
const SIZE = /(\d{3,4})x(\d{3,4})/;

/** A segmenter of mmsegmentation (UPerNet over a ViT) by its config's name; null for other names. */
export function segmenterModel(name: string): ModelFacts | null {
  const config = name.trim().toLowerCase();
  const backbone = BACKBONES[BACKBONE.exec(config)?.[1] ?? ''];
  const words = config.split(/[-_./]/);
  const dataset = words.find(word => Object.hasOwn(CLASSES, word));
  if (!backbone || dataset === undefined || !words.includes('upernet')) return null;
  const { hidden, heads } = backbone;
  const [, height, width] = SIZE.exec(config) ?? [];
  const size = { image_height: Number(height ?? 0), image_width: Number(width ?? 0) };
  const parts = { neck: words.includes('mln'), final_norm: words.includes('ln') };
  return {
    ...noFacts,
    kind: 'vision',
    id: name.trim(),
    modelType: 'upernet_vit',
    hiddenSize: hidden,
    intermediateSize: 4 * hidden,
    layers: LAYERS,
    heads,
    kvHeads: heads,
    headDim: hidden / heads,
    activation: 'gelu',
    norm: 'layernorm',
    normsPerLayer: 2,
    extra: { patch_size: 16, classes: CLASSES[dataset], ...size, ...parts },
  };
}

import type { ModelFacts } from './model';
import { noFacts } from './noFacts';

/** Widths and depths of the encoders MiT-b0 to b5 (NVlabs/SegFormer, mmseg/models/backbones/mix_transformer.py). */
const SIZES: readonly { readonly hidden_sizes: readonly number[]; readonly depths: readonly number[] }[] = [
  { hidden_sizes: [32, 64, 160, 256], depths: [2, 2, 2, 2] },
  { hidden_sizes: [64, 128, 320, 512], depths: [2, 2, 2, 2] },
  { hidden_sizes: [64, 128, 320, 512], depths: [3, 4, 6, 3] },
  { hidden_sizes: [64, 128, 320, 512], depths: [3, 4, 18, 3] },
  { hidden_sizes: [64, 128, 320, 512], depths: [3, 8, 27, 3] },
  { hidden_sizes: [64, 128, 320, 512], depths: [3, 6, 40, 3] },
];

/** Channels of the decoder: 256 for b0 and b1 on the hub, else 768; mmseg always has 256. */
const decoderOf = (size: number, isMmseg: boolean): number => (isMmseg || size < 2 ? 256 : 768);

/** Values that all SegFormers share: transformers, models/segformer/configuration_segformer.py. */
export const SEGFORMER = {
  num_channels: 3,
  patch_sizes: [7, 3, 3, 3],
  strides: [4, 2, 2, 2],
  sr_ratios: [8, 4, 2, 1],
  mlp_ratios: [4, 4, 4, 4],
  num_attention_heads: [1, 2, 5, 8],
  drop_path_rate: 0.1,
  classifier_dropout_prob: 0.1,
} as const;

/** Number of classes by the dataset at the end of a name. */
const CLASSES: readonly (readonly [RegExp, number])[] = [
  [/ade/, 150],
  [/cityscapes/, 19],
];

/** `nvidia/segformer-b2-finetuned-ade-512-512`, `nvidia/mit-b0`, `segformer_mit-b3_8xb2-160k_ade20k-512x512`. */
const NAME = /^(?:.*\/)?(?:segformer[-_])?(?:(mit)-)?b([0-5])(?:[-_].*)?(?:\.py)?$/s;
const PIXELS = /(\d{3,4})[-x](\d{3,4})/;

const isSegmenter = (words: string): boolean => words.includes('segformer');

/** A SegFormer or its encoder alone, by its hub name or mmseg's config name; null for other names. */
export function segformerModel(name: string): ModelFacts | null {
  const words = name.trim().toLowerCase();
  const found = words.includes('segformer') || words.includes('mit-b') ? NAME.exec(words) : null;
  const size = found && SIZES[Number(found[2])];
  if (!size) return null;
  const ends = found[1] && !isSegmenter(words) ? 'ImageClassification' : 'SemanticSegmentation';
  const [, height, width] = PIXELS.exec(words) ?? [];
  const isMmseg = words.includes('segformer_');
  const classes = CLASSES.find(([pattern]) => pattern.test(words))?.[1];
  return {
    ...noFacts,
    kind: 'vision',
    id: name.trim(),
    modelType: 'segformer',
    dtype: 'float32',
    extra: {
      ...SEGFORMER,
      ...size,
      decoder_hidden_size: decoderOf(Number(found[2]), isMmseg),
      ...(classes === undefined ? {} : { num_labels: classes }),
      ...(height && width ? { image_height: Number(height), image_width: Number(width) } : {}),
      architectures: [`SegformerFor${ends}`],
    },
  };
}

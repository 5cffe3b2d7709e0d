import { countParameters, languageModelOf, sameBlock } from './families/families';
import type { ModelFacts } from './model';

/** A vision tower in front of a language model. */
export interface VisionTower {
  readonly width: number;
  readonly inner: number;
  readonly layers: number;
  readonly heads: number;
  /** The side of a patch, in pixels. */
  readonly patch: number;
  /** The image side that it was made for; null: any. */
  readonly side: number | null;
}

/** The key under which a language model keeps its outer type. */
const OUTER_TYPE = 'vision_language_type';

/** The `model_type` of the outer model if the language model is part of one, else its own. */
export function outerType({ modelType, extra }: Pick<ModelFacts, 'modelType' | 'extra'>): string {
  const outer = extra[OUTER_TYPE];
  return typeof outer === 'string' ? outer : modelType;
}

/** The language model inside a vision-language model, under its own type; other models unchanged. */
export function languageModel(model: ModelFacts): ModelFacts {
  const { kind, modelType, extra } = model;
  if (kind !== 'vision-language') return model;
  const stated = extra['text_model_type'];
  const inner = typeof stated === 'string' ? stated : languageModelOf(modelType);
  if (inner === null) return model;
  const text = { ...model, modelType: sameBlock(inner), extra: { ...extra, [OUTER_TYPE]: modelType } };
  const parameters = countParameters(text);
  // If shapes give no count, the published size decides: subtract the tower.
  const tower = parameters === null ? towerOf(model) : null;
  const publishedTotal =
    tower && model.publishedTotal ? model.publishedTotal - towerParameters(tower) : model.publishedTotal;
  return { ...text, publishedTotal, parameters };
}

/** The vision tower of a vision-language model; null if unknown. */
export function towerOf({ kind, extra }: ModelFacts): VisionTower | null {
  const config = extra['vision_config'];
  if (kind !== 'vision-language' || typeof config !== 'object' || config === null) return null;
  const entries = new Map<string, unknown>(Object.entries(config));
  const first = (...names: readonly string[]): number | null => {
    for (const name of names) {
      const value = entries.get(name);
      if (typeof value === 'number') return value;
    }
    return null;
  };
  // Qwen2-VL writes embed_dim, depth and num_heads.
  const width = first('embed_dim', 'hidden_size');
  const layers = first('num_hidden_layers', 'depth');
  const heads = first('num_attention_heads', 'num_heads');
  const patch = first('patch_size');
  if (width === null || layers === null || heads === null || patch === null) return null;
  const inner = first('intermediate_size') ?? width * (first('mlp_ratio') ?? PLAIN_WIDENING);
  return { width, inner, layers, heads, patch, side: first('image_size') };
}

/** Parameters of a tower's layers and patches: four projections and two norms per layer, all with biases. */
export function towerParameters({ width, inner, layers, patch }: VisionTower): number {
  const layer = 4 * (width + 1) * width + (2 * width + 1) * inner + width + 4 * width;
  return layers * layer + COLORS * patch ** 2 * width;
}

/** Color channels of an image. */
const COLORS = 3;

/** The usual ratio of a transformer's MLP width to its hidden size. */
const PLAIN_WIDENING = 4;

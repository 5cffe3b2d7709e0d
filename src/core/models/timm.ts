import type { ModelFacts } from './model';
import { noFacts } from './noFacts';
import table from './timm.json';

type Row = Readonly<Record<string, unknown>>;

const ROWS: Readonly<Record<string, Row>> = table.models;

/** `timm/vit_huge_patch14_224.orig_in21k`, `hf-hub:timm/…`, `vit_huge_patch14_224`: what comes after the dot are the weights. */
const NAME = /^(?:hf[-_]hub:)?(?:timm\/)?([\w-]+)(?:\.[\w-]+)?$/;

/** Names of before (timm, register_model_deprecations). */
const FORMER: Readonly<Record<string, string>> = { xception: 'legacy_xception' };

/** Classes of ImageNet. */
const DEFAULTS = { num_classes: 1000 };

/** A transformer over patches that timm makes by that name, for ImageNet; null for other names. */
export function timmModel(name: string): ModelFacts | null {
  const key = NAME.exec(name.trim().toLowerCase())?.[1] ?? '';
  const named = Object.hasOwn(FORMER, key) ? (FORMER[key] ?? key) : key;
  const row = Object.hasOwn(ROWS, named) ? ROWS[named] : undefined;
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
    extra: { ...DEFAULTS, ...extra },
  };
}

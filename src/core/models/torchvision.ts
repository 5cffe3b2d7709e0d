import type { ModelFacts } from './model';
import { noFacts } from './noFacts';
import table from './torchvision.json';

type Row = Readonly<Record<string, unknown>>;

const ROWS: Readonly<Record<string, Row>> = table.models;

/** Classes of ImageNet, and the side of the images that most are trained on. */
const DEFAULTS = { num_classes: 1000, image_size: 224 };

/** `torchvision/resnet50`, `torchvision.models.resnet50`, `resnet50`. */
const PREFIX = /^torchvision(?:\.models)?[./]/;

/** A model that torchvision makes by that name (`torchvision.models.resnet50`), for ImageNet; null for other names. */
export function torchvisionModel(name: string): ModelFacts | null {
  const key = name.trim().toLowerCase().replace(PREFIX, '');
  const row = Object.hasOwn(ROWS, key) ? ROWS[key] : undefined;
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

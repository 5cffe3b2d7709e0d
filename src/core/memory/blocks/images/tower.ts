import type { ModelFacts } from '../../../models/model';
import type { VisionTower } from '../../../models/languageModel';
import type { Builder, Pass } from '../../modules';
import { buildLayerNorm } from '../norm';

/** Channels of a colour image. */
const COLOURS = 3;

/**
 * The weights of a vision tower: a transformer over patches as CLIP's and SigLIP's (transformers, modeling_clip.py,
 * modeling_siglip.py), then what else the model is known to have beside its language model (a projector, tables of
 * positions), as one matrix. Each layer is a unit where ranks share parameters, and none of them is gathered for texts.
 */
export function buildTower(builder: Builder, model: ModelFacts, tower: VisionTower): void {
  const rest = restOf(model, tower);
  builder.repeat(tower.layers, () => builder.layer(() => buildLayer(builder, tower)));
  builder.layer(() => {
    builder.kernel([tower.width, COLOURS, tower.patch, tower.patch]);
    if (rest > 0) builder.stacked([rest]);
    return UNUSED;
  });
}

/** Texts pass by. */
const UNUSED: Pass<readonly []> = (_, x) => x;

/** Where its modules lie, before their own names. */
const PLACE = 'vision_tower.';

function buildLayer(builder: Builder, { width, inner }: VisionTower): Pass<readonly []> {
  const linear = (name: string, inputs: number, outputs: number) =>
    builder.linear({ name: PLACE + name, inputs, outputs, bias: true });
  for (const name of ['q_proj', 'k_proj', 'v_proj', 'out_proj']) linear(name, width, width);
  linear('fc1', width, inner);
  linear('fc2', inner, width);
  for (let norms = 0; norms < 2; norms++) buildLayerNorm(builder, width);
  return UNUSED;
}

/** Parameters that are neither the language model's nor those of the tower's layers and patches. */
function restOf(
  { publishedTotal, parameters }: ModelFacts,
  { width, inner, layers, patch }: VisionTower,
): number {
  if (publishedTotal === null || parameters === null) return 0;
  const layer = 4 * (width + 1) * width + (2 * width + 1) * inner + width + 4 * width;
  return publishedTotal - parameters.total - layers * layer - COLOURS * patch ** 2 * width;
}

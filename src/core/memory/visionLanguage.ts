import { towerOf } from '../models/languageModel';
import type { ModelFacts } from '../models/model';
import type { Architecture } from './architecture';
import { buildTower } from './blocks/images/tower';

/**
 * A language model with the vision tower in front of it. Rows are taken to be texts, among whose tokens those of images
 * count: the tower's weights are there, and what it keeps of images is not.
 */
export function withTower(architecture: Architecture, model: ModelFacts): Architecture {
  const tower = towerOf(model);
  if (tower === null) return architecture;
  return {
    ...architecture,
    build: (builder, run) => {
      buildTower(builder, run.model, tower);
      return architecture.build(builder, run);
    },
  };
}

import type { ModelFacts } from '../models/model';
import { seriesPlaceOf } from '../models/ladders';
import type { ModelSource } from '../models/source';
import type { RunSpec } from '../spec/runSpec';

/** Facts of models by the name that a config would have for them. */
export type Alternatives = ReadonlyMap<string, ModelFacts>;

/**
 * The other sizes of the series that a run's model is named from, as far as their facts are known: looked up before a
 * search, which asks nothing of the world.
 */
export async function alternativesTo(run: RunSpec, models: ModelSource): Promise<Alternatives> {
  const name = run.quantities.model.value;
  const series = name === null || run.ownModel ? null : seriesPlaceOf(name);
  const found = new Map<string, ModelFacts>();
  if (series === null) return found;
  const from = run.sources[0]?.path ?? '';
  for (const other of series.names) {
    const { model } = other === name ? { model: null } : await models.find(other, from);
    if (model) found.set(other, model);
  }
  return found;
}

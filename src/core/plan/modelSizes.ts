import { changed } from '../dialects/change';
import { seriesPlaceOf } from '../models/ladders';
import type { ModelFacts, ModelSource } from '../models/model';
import { modelOfConfig } from '../models/ownModel';
import type { RunSpec } from '../spec/runSpec';
import { scalarsOf } from '../spec/scalarKeys';
import type { RemedyContext } from './remedy';

/** The model of a changed run: another one where the config itself states its sizes and they changed, or names another of the series. */
export function modelOfRun(
  { run: before, model, alternatives }: RemedyContext,
  run: RunSpec,
): ModelFacts | null {
  const name = run.quantities.model.value;
  if (name !== null && name !== before.quantities.model.value && !run.ownModel) {
    return alternatives?.get(name) ?? model;
  }
  if (!run.ownModel || JSON.stringify(run.ownModel) === JSON.stringify(before.ownModel)) return model;
  const own = modelOfConfig(run.quantities.model.value ?? 'this config', run.ownModel);
  return own.ok ? own.model : null;
}

/** A size of a model that a config builds itself: where it is said, and what it is today. */
export interface SizeKey {
  readonly path: string;
  readonly now: number;
}

/** Tasks that start with random weights: only there a model may be made another one. */
const FROM_SCRATCH: ReadonlySet<string> = new Set(['pretrain', 'mlm']);

/** True for training that starts with random weights: its model may be resized, and has nothing to adapt. */
export const startsFromScratch = ({ ownModel, quantities: { task } }: RunSpec): boolean =>
  (ownModel?.as === 'config.json' && ownModel.fromScratch === true) || FROM_SCRATCH.has(task.value ?? '');

/** The key that decides a size: told by its name and value, and by what a change of it makes of the model. */
export function sizeKey(
  context: RemedyContext,
  names: ReadonlySet<string>,
  sizeOf: (model: ModelFacts) => number,
  other: (now: number) => number,
): SizeKey | null {
  const { run, model } = context;
  const { method } = run.quantities;
  if (!run.ownModel || model === null || method.value !== 'full' || !startsFromScratch(run)) return null;
  const now = sizeOf(model);
  const found = scalarsOf(run).find(({ path, name, value }) => {
    if (!names.has(name) || value !== now) return false;
    const after = modelOfRun(context, changed(run, [{ key: path, to: other(now) }]));
    return after !== null && sizeOf(after) === other(now);
  });
  return found ? { path: found.path, now } : null;
}

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

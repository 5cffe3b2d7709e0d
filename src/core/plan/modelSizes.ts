import { changed } from '../dialects/change';
import { seriesPlaceOf } from '../models/ladders';
import type { ModelFacts, ModelSource } from '../models/model';
import { modelOfConfig } from '../models/ownModel';
import type { RunSpec } from '../spec/runSpec';
import { scalarsOf } from '../spec/scalarKeys';
import type { RemedyContext } from './remedy';

/**
 * The model of a changed run: differs if the config states its sizes and they changed, or if it names another model
 * of the series.
 */
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

/** A size of a model that the config builds: its key and current value. */
export interface SizeKey {
  readonly path: string;
  readonly now: number;
}

/** Tasks that start with random weights; only these may change the model. */
const FROM_SCRATCH: ReadonlySet<string> = new Set(['pretrain', 'mlm']);

/** True for training from random weights: its model may be resized, and has nothing to adapt. */
export const startsFromScratch = ({ ownModel, quantities: { task } }: RunSpec): boolean =>
  (ownModel?.as === 'config.json' && ownModel.fromScratch === true) || FROM_SCRATCH.has(task.value ?? '');

/** The key that decides a size: recognized by its name and value, and by the effect of a change on the model. */
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

/** Facts of models by their names in a config. */
export type Alternatives = ReadonlyMap<string, ModelFacts>;

/**
 * The other sizes in the series of the run's model, if their facts are known. Looked up before a search, which must
 * not do I/O.
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

import { modelOfConfig } from '../models/ownModel';
import type { ModelFacts } from '../models/model';
import type { RunSpec } from '../spec/runSpec';
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

import { modelOfConfig } from '../models/ownModel';
import type { ModelFacts } from '../models/model';
import type { RunSpec } from '../spec/runSpec';
import type { RemedyContext } from './remedy';

/** The model of a changed run: another one only where the config itself states its sizes, and they changed. */
export function modelOfRun({ run: before, model }: RemedyContext, run: RunSpec): ModelFacts | null {
  if (!run.ownModel || JSON.stringify(run.ownModel) === JSON.stringify(before.ownModel)) return model;
  const own = modelOfConfig(run.quantities.model.value ?? 'this config', run.ownModel);
  return own.ok ? own.model : null;
}

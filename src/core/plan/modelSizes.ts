import { changed } from '../dialects/change';
import { modelOfRun } from './modelOfRun';
import type { RemedyContext } from './remedy';
import { scalarsOf } from '../spec/scalarKeys';
import type { ModelFacts } from '../models/model';

/** A size of a model that a config builds itself: where it is said, and what it is today. */
export interface SizeKey {
  readonly path: string;
  readonly now: number;
}

/** Training that begins with random weights: only there a model may be made another one. */
const FROM_NOTHING: ReadonlySet<string> = new Set(['pretrain', 'mlm']);

/** The key that decides a size: told by its name and value, and by what a change of it makes of the model. */
export function sizeKey(
  context: RemedyContext,
  names: ReadonlySet<string>,
  sizeOf: (model: ModelFacts) => number,
  other: (now: number) => number,
): SizeKey | null {
  const { run, model } = context;
  const { task, method } = run.quantities;
  if (!run.ownModel || model === null || method.value !== 'full' || !FROM_NOTHING.has(task.value ?? '')) {
    return null;
  }
  const now = sizeOf(model);
  const found = scalarsOf(run).find(({ path, name, value }) => {
    if (!names.has(name) || value !== now) return false;
    const after = modelOfRun(context, changed(run, [{ key: path, to: other(now) }]));
    return after !== null && sizeOf(after) === other(now);
  });
  return found ? { path: found.path, now } : null;
}

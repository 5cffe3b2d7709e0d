import type { OwnModel } from '../../models/ownModel';
import type { Dialect } from '../dialect';
import type { RunReader } from '../engine/runReader';
import { namesWith, valueOf } from './answers';
import { holds } from './conditions';
import type { DefinedOwnModel } from './definition';
import { Names } from './names';

/** The model of the first entry whose conditions hold; unknown if a size has neither a key nor a default. */
export const ownModelBy =
  (models: readonly DefinedOwnModel[]): NonNullable<Dialect['ownModel']> =>
  run => {
    for (const model of models) {
      const names = namesWith(model.with ?? {}, new Names(run));
      if (model.when === undefined || holds(model.when, names)) return ownModelIn(model, run, names);
    }
    return null;
  };

function ownModelIn(model: DefinedOwnModel, run: RunReader, names: Names): OwnModel | null {
  const { as = 'config.json', family = 'gpt', config, perhaps, fromScratch } = model;
  const sizesOf = (specs: DefinedOwnModel['config']) =>
    Object.entries(specs).map(([name, spec]) => [name, valueOf(spec, 'any', names)] as const);
  const sizes = sizesOf(config);
  if (sizes.some(([, value]) => value === null)) return null;
  const all = [...sizes, ...sizesOf(perhaps).filter(([, value]) => value !== null)];
  if (as === 'config.json') {
    return { as, config: Object.fromEntries(all), ...(fromScratch && { fromScratch }) };
  }
  return {
    as,
    family,
    arguments: Object.fromEntries(all.map(([name, value]) => [name, String(value)])),
    tensorRanks: run.get('parallel').value?.tensor ?? 1,
  };
}

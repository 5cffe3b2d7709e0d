import type { ModelFacts } from '../../models/model';
import { countInName } from '../../models/supposed';
import type { OtherModel } from '../../spec/values';
import type { Beside } from '../run';
import { bytesPer } from '../tensor';
import type { Asker } from './asker';
import type { Numbers } from './numbers';

/** Models beside the trained one that are not trained: their weights. What their passes take is gone when they are over. */
export function othersOf(asker: Asker, model: ModelFacts, numbers: Numbers | null): readonly Beside[] {
  const others = asker.detail('otherModels') ?? [];
  if (others.length === 0 || numbers === null) return [];
  const ranks = asker.value('zeroStage') === 3 || asker.value('fsdp') !== null;
  if (ranks) asker.lack('how ranks share the models beside the trained one');
  const dtype = numbers.weightDtype;
  return others.flatMap(other => {
    const parameters = sizeOf(asker, other, model);
    if (parameters === null) return [];
    const bytes = parameters * bytesPer(dtype);
    return [{ name: other.role, dtype, parameters, bytes, dropped: false, encodes: null }];
  });
}

function sizeOf(asker: Asker, { role, model: name }: OtherModel, model: ModelFacts): number | null {
  const same = model.parameters?.total ?? null;
  const count = name === null ? null : countInName(name);
  if (count !== null) return asker.assume(count, `the ${role} has the size in its name`);
  if (same === null || role === 'teacher') {
    return asker.lack(`the size of the ${role}${name === null ? '' : ` ${name}`}`);
  }
  return asker.assume(same, `the ${role} model is as large as the trained one`);
}

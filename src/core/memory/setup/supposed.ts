import { countInName, supposedDecoder } from '../../models/supposed';
import type { ModelFacts } from '../../models/model';
import { formatCount } from '../../render/units';
import type { Asker } from './asker';
import { isPreference } from './preference';

/** Tasks of models that write text: others have models of many kinds. */
const WRITING = new Set(['sft', 'pretrain', 'lm_pretrain', 'cpt', 'lm', 'clm', 'infer', 'load']);

/** In place of a model of which no more than its number of parameters is known: a dense decoder of that size. */
export function supposeModel(asker: Asker): ModelFacts | null {
  const name = asker.value('model');
  const task = asker.value('task') ?? '';
  const writes = WRITING.has(task) || isPreference(task);
  if (name === null || !writes || asker.value('imageSize') !== null) return null;
  const count = countInName(name);
  const model = count === null ? null : supposedDecoder(name, count);
  if (model === null) return null;
  return asker.assume(
    model,
    `${name} is a dense decoder of ${formatCount(count ?? 0)} parameters: its architecture is not known`,
  );
}

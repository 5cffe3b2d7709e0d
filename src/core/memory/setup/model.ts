import { countInName, supposedDecoder } from '../../models/supposed';
import type { ModelFacts } from '../../models/model';
import { formatCount } from '../../units';
import type { RunQuestions } from './questions';
import { isPreference } from './task';

/** Tasks of models that write text: others have models of many kinds. */
const WRITING = new Set(['sft', 'pretrain', 'lm_pretrain', 'cpt', 'lm', 'clm', 'infer', 'load']);

/** In place of a model of which no more than its number of parameters is known: a dense decoder of that size. */
export function supposeModel(asker: RunQuestions): ModelFacts | null {
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

/** What is supposed of the images that a model with a vision tower sees. */
export function picturesIn(asker: RunQuestions): string {
  const pixels = asker.detail('picturePixels');
  return pixels === null
    ? 'what the vision tower keeps of images is not counted'
    : `an image in each row, of at most ${pixels} pixels`;
}

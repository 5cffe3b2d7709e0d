import type { Quantity } from '../../spec/quantity';
import type { Dtype } from '../../spec/values';
import type { Rule } from '../dialect';
import type { RunReader } from '../engine/runReader';
import { dtypeWord } from './words';

/** The first of these keys that is set: `dtype`, or the older `torch_dtype`. */
const setKey = (run: RunReader, keys: readonly string[]): string | undefined =>
  keys.find(key => run.has(key));

/** `auto`, and the default since transformers 5: from_pretrained keeps the checkpoint's dtype. */
function keepsCheckpoint(run: RunReader, keys: readonly string[]): boolean {
  const key = setKey(run, keys);
  return key === undefined ? run.atLeast('5.0.0', 'transformers') : run.word(key) === 'auto';
}

/** The dtype in which from_pretrained loads the weights. */
export function loadDtype(run: RunReader, keys: readonly string[]): Quantity<Dtype> {
  const key = setKey(run, keys);
  if (keepsCheckpoint(run, keys)) {
    const why = key === undefined ? 'No dtype is set' : `${key} is auto`;
    return run.unknown(`${why}: weights keep the dtype of the checkpoint.`);
  }
  return key === undefined
    ? run.byDefault('fp32', 'transformers before release 5 loads weights in float32')
    : run.at(key, run.read(key, dtypeWord));
}

/** True if only the checkpoint states the dtype. */
export const checkpointDtype =
  (keys: readonly string[]): Rule<boolean> =>
  run => {
    const kept = run.get('loadDtype').value === null && keepsCheckpoint(run, keys);
    return run.derived(kept, ['loadDtype'], kept ? 'from_pretrained keeps it' : 'the dtype is set');
  };

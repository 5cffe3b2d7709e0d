import type { Quantity } from '../../spec/quantity';
import type { Rule } from '../dialect';
import type { RunReader } from '../engine/runReader';

/** True if training resumes from a checkpoint: a path, or true for the newest. */
export const resumesBy =
  (key: string): Rule<boolean> =>
  run => {
    const value = run.value(key);
    if (value === null || value === false || value === '') return run.none(`${key} is not set`);
    return run.at(key, true);
  };

/** LLaMA-Factory's export merges adapters where the model is: on the host by default (hparams/model_args.py). */
export function mergesOnExport(run: RunReader): Quantity<'gpu' | 'cpu'> {
  if (!run.has('export_dir') || !run.has('adapter_name_or_path')) return run.none('nothing is exported');
  const device = run.word('export_device');
  if (device === null) return run.byDefault('cpu', 'hparams/model_args.py: export_device is cpu');
  return run.at('export_device', device === 'cpu' ? 'cpu' : 'gpu');
}

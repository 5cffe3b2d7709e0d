import { builtIn } from './defined/compile';
import file from './nemoRl.yaml';
import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import type { RunReader } from './engine/runReader';
import { valueText } from './shared/words';

/** NeMo-RL, whose files inherit from one another; sources are files of NVIDIA-NeMo/RL 7ea279a (0.6.0). */
export const nemoRl: Dialect = builtIn(file, { quantities: { precisionRaw } });

/** The value in this file itself; unknown if the file inherits it. */
function precisionRaw(run: RunReader): Quantity<string> {
  const key = 'policy.precision';
  if (!run.has(key)) return run.unknown(`${key} is not set.`);
  const quantity = run.at(key, `${key}: ${valueText(run.value(key))}`);
  return quantity.origin.kind === 'file'
    ? quantity
    : run.unknown('This file leaves it to the one that it lies on.');
}

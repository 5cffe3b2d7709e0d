import type { Quantity } from '../spec/quantity';
import type { ServedExtras } from '../spec/values';
import { builtIn } from './defined/compile';
import type { Dialect } from './dialect';
import type { RunReader } from './engine/runReader';
import file from './lmdeploy.yaml';

/** No dtype has 4 bits: the cache's width is stated beside it. */
function extras(run: RunReader): Quantity<ServedExtras> {
  if (run.count('quant-policy') !== 4) return run.none('lmdeploy/messages.py: quant_policy is 0');
  return run.at('quant-policy', { adapters: null, drafter: null, offloadGiB: 0, cacheBits: 4 });
}

/** LMDeploy's servers, as commands start them. */
export const lmdeploy: Dialect = builtIn(file, { details: { servedExtras: extras } });

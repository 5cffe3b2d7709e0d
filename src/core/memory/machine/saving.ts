import { formatCount } from '../../units';
import type { HostTerm } from '../estimate';
import { bytesPer } from '../tensor';
import type { HostRun } from './residents';

/**
 * A full state dict is put together on the host of the first rank: FSDP 1 has the model and, after it, the optimizer's
 * states there (accelerate, utils/fsdp_utils.py, save_fsdp_model and save_fsdp_optimizer: offload to CPU, rank 0 only).
 * Where checkpoints are in parts nothing of it is: hence from nothing.
 */
export function savingTerms({ run, parameters, trained }: HostRun): readonly HostTerm[] {
  const {
    ranks: { sharding },
  } = run;
  if (sharding?.kind !== 'fsdp' || sharding.version !== 1 || run.task !== 'train') return [];
  const each =
    trained > 0 && sharding.compute !== null ? bytesPer('fp32') : bytesPer(run.numbers.weightDtype);
  const expected = Math.max(parameters * each, trained * each * 2);
  const formula = `a full state dict of ${formatCount(parameters)} parameters on the first rank`;
  return [
    {
      term: 'checkpoint',
      bytes: { low: 0, expected, high: parameters * each + trained * each * 2 },
      formula,
    },
  ];
}

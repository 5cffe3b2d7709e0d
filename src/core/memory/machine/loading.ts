import { formatCount } from '../../units';
import type { HostTerm } from '../estimate';
import { bytesPer } from '../tensor';
import type { HostRun } from './residents';

/** The largest file of a checkpoint (transformers before 5: max_shard_size of save_pretrained). */
const SHARD = 5e9;

/**
 * Weights on their way to the device. `from_pretrained` creates them on the CPU and the trainer moves them, in
 * every process; with a device map, as for quantized models, they go there tensor by tensor. Under FSDP one process
 * has them by default (accelerate, cpu_ram_efficient_loading); under ZeRO 3 each reads file by file.
 */
export function loadingTerms({ run, parameters, ranks }: HostRun): readonly HostTerm[] {
  const copy = parameters * bytesPer(run.numbers.weightDtype);
  const most = copy * ranks;
  const expected = expectedOf(run, copy, ranks);
  const formula = `${formatCount(parameters)} parameters × ${bytesPer(run.numbers.weightDtype)} B, before they are on the GPU`;
  return [{ term: 'weights while loading', bytes: { low: 0, expected, high: most }, formula }];
}

function expectedOf(
  { ranks: { sharding }, numbers: { quantization }, task }: HostRun['run'],
  copy: number,
  ranks: number,
): number {
  if (quantization !== null || task !== 'train') return 0;
  if (sharding?.kind === 'fsdp') return copy;
  const isPart = sharding?.kind === 'zero' && sharding.stage === 3;
  return ranks * (isPart ? Math.min(copy, SHARD) : copy);
}

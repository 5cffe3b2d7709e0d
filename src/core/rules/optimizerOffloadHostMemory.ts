import type { ModelFacts } from '../models/model';
import { formatBytes, formatCount } from '../units';
import { basename } from '../text/paths';
import type { Rule } from './rule';

/** fp32 master weight and two fp32 moments, as DeepSpeed's CPU Adam keeps them. */
const BYTES_PER_PARAMETER = 12;

export const optimizerOffloadHostMemory: Rule = {
  id: 'optimizer-offload-host-memory',
  severity: 'information',
  summary: 'The optimizer is offloaded to the CPU, so host RAM must hold its states.',
  sources: [
    'axolotl 0.18 deepspeed_configs/zero2.json: offload_optimizer.device cpu (zero1, zero3 and zero3_bf16 do not offload)',
    'deepspeed ops/adam/cpu_adam.py; ZeRO-Offload, arXiv 2101.06840: 12 bytes per parameter of states',
  ],
  check({ run, model }) {
    const { offload, method, zeroStage } = run.quantities;
    // Adapters are small: their states are nothing to speak of.
    if (offload.value?.optimizer !== 'cpu' || zeroStage.value === null || method.value !== 'full') return [];
    const file = run.sources.find(source => source.dialect === 'deepspeed' && source.via.kind !== 'config');
    const by = file ? ` by ${basename(file.path)}` : '';
    const message =
      `The optimizer is offloaded to the CPU${by}: the machines need ${hostMemory(model)}, and every step waits for the CPU. ` +
      'If GPU memory allows, a config without offload is faster.';
    return [{ at: ['deepspeed', 'quantity:offload'], message }];
  },
};

/** `about 96 GB of host memory in all (12 bytes × 8.03 B parameters)`. */
function hostMemory(model: ModelFacts | null): string {
  const total = model?.parameters?.total ?? model?.publishedTotal ?? null;
  if (total === null) return `${BYTES_PER_PARAMETER} bytes of host memory per parameter, over all of them`;
  const bytes = formatBytes(total * BYTES_PER_PARAMETER);
  return `about ${bytes} of host memory in all (${BYTES_PER_PARAMETER} bytes × ${formatCount(total)} parameters)`;
}

import { formatBytes, formatRange } from '../units';
import type { Rule } from './rule';

export const hostMemory: Rule = {
  id: 'host-memory',
  severity: 'warning',
  summary: "The run needs more of the machine's own memory than there is.",
  sources: [
    'DeepSpeed 0.19 runtime/zero/stage3.py estimate_zero3_model_states_mem_needs: 16 to 18 bytes a parameter on the CPU, times 1.5',
    'transformers modeling_utils.py from_pretrained: without a device map weights are made on the CPU, in every process',
  ],
  check({ estimate }) {
    const host = estimate?.host ?? null;
    const capacity = host?.capacityBytes ?? null;
    if (host === null || capacity === null || host.bytes.expected <= capacity) return [];
    const [largest] = host.terms.toSorted((a, b) => b.bytes.expected - a.bytes.expected);
    const { low, expected, high } = host.bytes;
    const message =
      `The run is expected to take ${formatBytes(expected)} (${formatRange(low, high)}) of the machine's own memory, and it has ${formatBytes(capacity)}: ` +
      `most of it for ${largest?.term ?? 'its processes'} (${largest?.formula ?? ''}). The system ends a process that takes more, mostly without a message.`;
    return [{ at: ['quantity:offload', 'quantity:zeroStage', 'quantity:fsdp', 'quantity:model'], message }];
  },
};

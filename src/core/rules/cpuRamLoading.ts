import type { Rule } from './rule';
import { exactly, on, setKey, when } from './when';

const LOADING = 'fsdp_config.fsdp_cpu_ram_efficient_loading';
const SYNC = 'fsdp_config.fsdp_sync_module_states';

export const cpuRamLoading: Rule = {
  id: 'cpu-ram-loading',
  severity: 'error',
  summary: 'Loading once per machine needs `fsdp_sync_module_states`.',
  sources: [
    'accelerate 1.15 utils/launch.py L306: “When using `--fsdp_cpu_ram_efficient_loading` set `--fsdp_sync_module_states` to `True`”',
  ],
  dialects: ['accelerate'],
  check: when([on(LOADING), exactly(SYNC, false)], quote => ({
    at: [SYNC],
    message: `accelerate rejects ${quote(LOADING)} without fsdp_sync_module_states: the other processes would keep empty weights. Set it to true.`,
    remedies: [setKey(SYNC, true)],
  })),
};

import type { Measure } from '../sample';

/**
 * Paths of each measure in amd-smi's JSON, newest names first: `metric` of 6.x and 7.x, then 5.7, then `static
 * --limit`, last `monitor`, whose entries have no sections.
 */
export const AMD_SMI_PLACES: Readonly<Partial<Record<Measure, readonly (readonly string[])[]>>> = {
  utilPct: [['usage', 'gfx_activity'], ['usage', 'gfx_usage'], ['gfx']],
  memBusyPct: [['usage', 'umc_activity'], ['usage', 'mem_usage'], ['mem'], ['mem_activity']],
  memoryUsedMiB: [
    ['mem_usage', 'used_vram'],
    ['fb_usage', 'fb_used'],
    ['vram_usage', 'vram_used'],
    ['vram_used'],
  ],
  memoryFreeMiB: [['mem_usage', 'free_vram'], ['vram_free']],
  memoryUsedPct: [['vram_percent']],
  tempC: [
    ['temperature', 'edge'],
    ['temperature', 'edge_temperature'],
    ['temperature', 'hotspot'],
    ['temperature', 'hotspot_temperature'],
    ['hotspot_temperature'],
  ],
  tempHotspotC: [
    ['temperature', 'hotspot'],
    ['temperature', 'hotspot_temperature'],
  ],
  tempMemC: [['temperature', 'mem'], ['temperature', 'mem_temperature'], ['memory_temperature']],
  powerW: [
    ['power', 'socket_power'],
    ['power', 'current_socket_power'],
    ['power', 'current_power'],
    ['power', 'average_socket_power'],
    ['power', 'average_power'],
    ['power_usage'],
  ],
  powerLimitW: [
    ['limit', 'socket_power'],
    ['limit', 'socket_power_limit'],
    ['limit', 'current_power'],
    ['limit', 'ppt0', 'socket_power_limit'],
    ['power', 'power_limit'],
    ['power', 'current_power_limit'],
    ['limit', 'power'],
  ],
  fanPct: [['fan', 'usage']],
  fanRpm: [['fan', 'rpm']],
  clockSmMHz: [
    ['clock', 'gfx_0', 'clk'],
    ['clock', 'gfx', 'clk'],
    ['clock', 'gfx_0', 'cur_clk'],
    ['clock', 'gfx', 'cur_clk'],
    ['gfx_clk'],
    ['gfx_clock'],
  ],
  clockMemMHz: [
    ['clock', 'mem_0', 'clk'],
    ['clock', 'mem', 'clk'],
    ['clock', 'mem', 'cur_clk'],
    ['mem_clock'],
  ],
};

export const AMD_SMI_TOTAL = [
  ['mem_usage', 'total_vram'],
  ['vram', 'size'],
  ['vram', 'vram_size_mb'],
  ['fb_usage', 'fb_total'],
  ['vram_usage', 'vram_total'],
  ['vram_total'],
];

export const AMD_SMI_POWER_MAX = [
  ['limit', 'max_power'],
  ['limit', 'max_power_limit'],
  ['limit', 'ppt0', 'max_power_limit'],
];

/** Columns of `amd-smi monitor`, whose names were shortened in ROCm 6.4. */
export const AMD_MONITOR_COLUMNS: Readonly<Partial<Record<Measure, readonly string[]>>> = {
  utilPct: ['GFX_UTIL', 'GFX%'],
  memBusyPct: ['MEM_UTIL', 'MEM%'],
  memoryUsedMiB: ['VRAM_USED'],
  memoryFreeMiB: ['VRAM_FREE'],
  memoryUsedPct: ['VRAM_PERCENT', 'VRAM%'],
  tempC: ['GPU_TEMP', 'GPU_T'],
  tempMemC: ['MEM_TEMP', 'MEM_T'],
  powerW: ['POWER', 'POWER_USAGE'],
  powerLimitW: ['PWR_CAP', 'POWER_CAP'],
  clockSmMHz: ['GFX_CLOCK', 'GFX_CLK'],
  clockMemMHz: ['MEM_CLOCK', 'MEM_CLK'],
};

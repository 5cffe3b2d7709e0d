// Written by scripts/registries.mjs: it lists every file of this folder.
import type { GpuTool } from '../tool';
import { amdSmi } from './amdSmi';
import { amdSysfs } from './amdSysfs';
import { ioreg, macmon, mactop, powermetrics, systemProfiler } from './apple';
import { nvtop, wmic } from './fallback';
import { intelGpuTop } from './intelGpuTop';
import { nvidiaSmi } from './nvidiaSmi';
import { rocmSmi } from './rocmSmi';
import { tegrastats } from './tegrastats';
import { xpuSmi } from './xpuSmi';

export const gpuTools: readonly GpuTool[] = [
  amdSmi,
  amdSysfs,
  ioreg,
  macmon,
  mactop,
  powermetrics,
  systemProfiler,
  nvtop,
  wmic,
  intelGpuTop,
  nvidiaSmi,
  rocmSmi,
  tegrastats,
  xpuSmi,
];

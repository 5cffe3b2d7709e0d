// Written by scripts/registries.mjs: it lists every file of this folder.
import type { GpuTool } from '../tool';
import { acceleratorSmi } from './acceleratorSmi';
import { amdSmi } from './amdSmi';
import { amdSysfs } from './amdSysfs';
import { ioreg, macmon, mactop, powermetrics, systemProfiler } from './apple';
import { cudaSmi } from './cudaSmi';
import { dcgm } from './dcgm';
import { nvtop, wmic } from './fallback';
import { gpustat } from './gpustat';
import { intelGpuTop } from './intelGpuTop';
import { kubectl } from './kubectl';
import { nvidiaSmi } from './nvidiaSmi';
import { nvitop } from './nvitop';
import { rocmSmi } from './rocmSmi';
import { tegrastats } from './tegrastats';
import { xpuSmi } from './xpuSmi';

export const gpuTools: readonly GpuTool[] = [
  acceleratorSmi,
  amdSmi,
  amdSysfs,
  ioreg,
  macmon,
  mactop,
  powermetrics,
  systemProfiler,
  cudaSmi,
  dcgm,
  nvtop,
  wmic,
  gpustat,
  intelGpuTop,
  kubectl,
  nvidiaSmi,
  nvitop,
  rocmSmi,
  tegrastats,
  xpuSmi,
];

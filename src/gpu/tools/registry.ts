// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import type { GpuTool } from '../tool';
import { amdSmi } from './amdSmi';
import { amdSysfs } from './amdSysfs';
import { intelGpuTop } from './intelGpuTop';
import { ioreg } from './ioreg';
import { macmon } from './macmon';
import { mactop } from './mactop';
import { nvidiaSmi } from './nvidiaSmi';
import { nvtop } from './nvtop';
import { powermetrics } from './powermetrics';
import { rocmSmi } from './rocmSmi';
import { systemProfiler } from './systemProfiler';
import { tegrastats } from './tegrastats';
import { wmic } from './wmic';
import { xpuSmi } from './xpuSmi';

export const gpuTools: readonly GpuTool[] = [
  amdSmi,
  amdSysfs,
  intelGpuTop,
  ioreg,
  macmon,
  mactop,
  nvidiaSmi,
  nvtop,
  powermetrics,
  rocmSmi,
  systemProfiler,
  tegrastats,
  wmic,
  xpuSmi,
];

// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import type { GpuTool } from '../tool';
import { amdSmi } from './amdSmi';
import { nvidiaSmi } from './nvidiaSmi';
import { rocmSmi } from './rocmSmi';

export const gpuTools: readonly GpuTool[] = [amdSmi, nvidiaSmi, rocmSmi];

// Written by scripts/registries.mjs from the files beside it: a new file is in by being there.
import type { GpuTool } from '../tool';
import { nvidiaSmi } from './nvidiaSmi';

export const gpuTools: readonly GpuTool[] = [nvidiaSmi];

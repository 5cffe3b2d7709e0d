import type { Target } from '../hardware/gpu';

const MIB = 2 ** 20;

/**
 * cuBLAS workspaces: `:4096:2:16:8` before Hopper, 32 MiB since (cuBLAS documentation, 2.1.4), one for each handle.
 * Torch allocates them, so its counters show them.
 */
export function libraryWorkspaceBytes(target: Target | null, handles: number): number {
  const capability = Number(target?.gpu?.computeCapability ?? '8.0');
  return handles * (capability >= 9 ? 32 : 8.125) * MIB;
}

/**
 * CUDA context and loaded kernels of one process, outside torch's counters. Measured: A100 0.47 GB with lazy module
 * loading, the default since CUDA 12.2 (ml-engineering, `CUDA_MODULE_LOADING`); 0.9 GB without.
 */
const CONTEXT_MIB = 480;

export function contextBytes(target: Target | null): number {
  return (target?.gpu?.contextMiB ?? CONTEXT_MIB) * MIB;
}

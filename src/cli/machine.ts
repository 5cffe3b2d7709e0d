import { systemAdapters } from '../gpu/adapters';
import { detectGpus } from '../gpu/detect';
import type { Detection } from '../gpu/detect';
import { nodeLaunch } from '../gpu/launch';
import { nodeTimers } from '../gpu/timers';
import { gpuTools } from '../gpu/tools/registry';

/** The GPUs of this machine, asked for once per call of the command line. */
export function detectHere(): Promise<Detection> {
  return detectGpus({
    platform: process.platform,
    variables: process.env,
    launch: nodeLaunch,
    timers: nodeTimers,
    tools: gpuTools,
    executables: {},
    adapters: systemAdapters,
  });
}

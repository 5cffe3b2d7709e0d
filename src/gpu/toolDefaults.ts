import type { GpuTool } from './tool';

/** What a tool has that is asked once, for everything, and cannot loop. A tool spreads it and says what it can do beside. */
export const ONE_SHOT = {
  stream: () => null,
  processes: () => null,
  details: () => [],
  withDetails: devices => devices,
  streamReader: () => ({ line: () => [] }),
  unknownField: () => null,
} satisfies Partial<GpuTool>;

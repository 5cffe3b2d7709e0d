import type { DeviceEstimate } from '../memory/estimate';

/** A phase in a sentence: `backward pass`, `optimizer step`. */
export const phaseInWords = (phase: DeviceEstimate['peakPhase']): string =>
  phase.endsWith('ward') ? `${phase} pass` : phase;

import type { GpuDevice } from '../device';
import { blankSample, measuresFrom } from '../sample';
import type { GpuSample, Measure } from '../sample';
import { EMPTY_READING } from '../tool';
import type { ToolReading } from '../tool';
import { measureOf } from './amount';

/** Candidate texts for each measure, best first. */
export type MeasureTexts = Partial<Record<Measure, readonly (string | undefined)[]>>;

/** A device and its sample. */
export interface Shown {
  readonly device: GpuDevice;
  readonly sample: GpuSample;
}

/** A device with measures parsed from texts. Memory without a unit is in MiB. */
export function shown(
  device: GpuDevice,
  texts: MeasureTexts,
  receivedMs: number,
  more: Partial<GpuSample> = {},
): Shown {
  const measures = measuresFrom(
    measure => (texts[measure] ?? []).filter(text => text !== undefined),
    measureOf,
  );
  return { device, sample: { ...blankSample(device.key, receivedMs, measures), ...more } };
}

/** A reading of some devices, with any other facts. */
export function readingOf(all: readonly Shown[], more: Partial<ToolReading> = {}): ToolReading {
  return {
    ...EMPTY_READING,
    devices: all.map(({ device }) => device),
    samples: all.map(({ sample }) => sample),
    ...more,
  };
}

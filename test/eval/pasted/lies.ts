import type { GpuDevice } from '../../../src/gpu/device';
import { MEASURES } from '../../../src/gpu/sample';
import type { Measure } from '../../../src/gpu/sample';
import type { ToolReading } from '../../../src/gpu/tool';

/** The substitute for a measure that is missing. */
const SECOND_BEST: Partial<Record<Measure, Measure>> = {
  tempHotspotC: 'tempC',
  powerAvgW: 'powerW',
  powerInstantW: 'powerW',
};

/** Names that may identify a device, the best first: an id, its name if the tool has no ids, or its number. */
function namesOf(
  { uuid, pciBusId, name, index }: GpuDevice,
  count: number,
  isBest: boolean,
): readonly string[] {
  const number = String(index % Math.max(1, count));
  const hasName = name?.endsWith('…') === false && (!isBest || pciBusId === null);
  return [uuid, hasName ? name : null, number].filter(one => one !== null);
}

/** Numbers of a reading, by kind and owner; for each device under every name, or only the best. */
function numbersIn(reading: ToolReading, count: number, isBest: boolean): readonly string[] {
  const { devices, samples, processes } = reading;
  const found = devices.flatMap((device, at) => {
    const values = MEASURES.flatMap(measure => {
      const value = samples[at]?.[measure] ?? null;
      const other = isBest ? undefined : SECOND_BEST[measure];
      return value === null ? [] : [measure, ...(other ? [other] : [])].map(name => `${name} ${value}`);
    });
    const instances = (device.mig?.instances ?? []).map(
      one => `mig ${one.gpuInstanceId} ${one.memoryUsedMiB} ${one.memoryTotalMiB}`,
    );
    const all = [...values, `total ${device.memoryTotalMiB}`, ...instances];
    const names = namesOf(device, count, isBest);
    return (isBest ? names.slice(0, 1) : names).flatMap(name => all.map(one => `${name}: ${one}`));
  });
  return [...found, ...processes.map(({ pid, memoryUsedMiB }) => `${pid} holds ${memoryUsedMiB}`)];
}

/** Values in the reading of a mangled text that the whole one does not have. */
export function lies(mangled: ToolReading, whole: ToolReading): readonly string[] {
  const count = whole.devices.length;
  const known = new Set(numbersIn(whole, count, false));
  return numbersIn(mangled, count, true).filter(one => !/\bnull\b/.test(one) && !known.has(one));
}

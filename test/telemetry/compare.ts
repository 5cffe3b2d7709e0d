import type { GpuDevice } from '../../src/gpu/device';
import type { GpuProcess, GpuSample } from '../../src/gpu/sample';
import type { ToolReading } from '../../src/gpu/tool';
import type { Recording } from './recording';

export interface Wrong {
  readonly file: string;
  readonly field: string;
  readonly expected: unknown;
  readonly got: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** Every field that an index expects and that was not read so. */
export function compare({ file, expected }: Recording, reading: ToolReading): readonly Wrong[] {
  const devices = reading.devices.map((device, at) => deviceFields(device, reading.samples[at]));
  const processes = reading.processes.map(process => processFields(process));
  const rows = (name: string) => (expected[name] ?? []) as readonly Fields[];
  return [
    ...differences('gpus', rows('gpus'), devices),
    ...differences('processes', rows('processes'), processes),
    ...otherFields(expected, reading),
  ].map(wrong => ({ file, ...wrong }));
}

function deviceFields(device: GpuDevice, sample: GpuSample | undefined): Fields {
  const { mig, ...rest } = device;
  return {
    ...rest,
    ...sample,
    migMode: mig === null ? null : mig.enabled ? 'Enabled' : 'Disabled',
    mig: mig?.instances ?? [],
  };
}

function processFields(process: GpuProcess): Fields {
  return { ...process };
}

function differences(
  name: string,
  expected: readonly Fields[],
  got: readonly Fields[],
): readonly Omit<Wrong, 'file'>[] {
  const lengths = { field: `${name}.length`, expected: expected.length, got: got.length };
  if (expected.length !== got.length) return [lengths];
  return expected.flatMap((row, at) => fieldsOf(`${name}[${at}]`, row, got[at] ?? {}));
}

function fieldsOf(path: string, expected: Fields, got: Fields): readonly Omit<Wrong, 'file'>[] {
  return Object.entries(expected).flatMap(([field, value]) => {
    const name = `${path}.${field}`;
    if (Array.isArray(value)) {
      return differences(name, value as readonly Fields[], (got[field] ?? []) as readonly Fields[]);
    }
    return Object.is(value, got[field] ?? null)
      ? []
      : [{ field: name, expected: value, got: got[field] ?? null }];
  });
}

/** What an index says beside devices and processes, where a reading has it. */
function otherFields(expected: Fields, reading: ToolReading): readonly Omit<Wrong, 'file'>[] {
  const got: Fields = {
    error: reading.error?.kind ?? null,
    warnings: reading.warnings,
    driverVersion: reading.driverVersion,
    cudaVersion: reading.cudaVersion,
    streamSamples: reading.samples.length,
  };
  return Object.keys(got)
    .filter(field => field in expected || field === 'error')
    .filter(field => JSON.stringify(expected[field] ?? null) !== JSON.stringify(got[field]))
    .map(field => ({ field, expected: expected[field] ?? null, got: got[field] }));
}

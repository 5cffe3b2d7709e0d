import type { GpuDevice } from '../../../src/gpu/device';
import type { GpuProcess, GpuSample } from '../../../src/gpu/sample';
import type { ToolReading } from '../../../src/gpu/tool';
import { reasonsByName } from '../../../src/gpu/nvidia/values';
import type { Recording } from './recording';

export interface Wrong {
  readonly file: string;
  readonly field: string;
  readonly expected: unknown;
  readonly got: unknown;
}

export interface Compared {
  /** The number of compared fields. */
  readonly fields: number;
  readonly wrong: readonly Wrong[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Remarks for people, which no reading contains. */
const REMARKS = new Set(['note', 'nameNote', 'incomplete', 'migContainer', 'gpus', 'processes']);

/** The index gives memory that a tool prints in bytes to a tenth of a MiB. */
const TENTH = 0.0501;

/** Compares every field that an index expects, and lists the ones that were read differently. */
export function compare({ file, expected }: Recording, reading: ToolReading): Compared {
  const devices = reading.devices.map((device, at) => deviceFields(device, reading.samples[at]));
  const processes = reading.processes.map(process => processFields(process));
  const rows = (name: string) => (expected[name] ?? []) as readonly Fields[];
  const all = [
    ...differences('gpus', rows('gpus'), devices),
    ...differences('processes', rows('processes'), processes),
    ...otherFields(expected, reading),
  ];
  return {
    fields: all.length,
    wrong: all
      .filter(one => !one.isRight)
      .map(({ field, expected: wanted, got }) => ({ file, field, expected: wanted, got })),
  };
}

interface Looked extends Omit<Wrong, 'file'> {
  readonly isRight: boolean;
}

function looked(field: string, expected: unknown, got: unknown): Looked {
  return { field, expected, got, isRight: isSame(field, expected, got) };
}

function isSame(field: string, expected: unknown, got: unknown): boolean {
  if (typeof expected === 'number' && typeof got === 'number') {
    const slack = field.endsWith('MiB') ? TENTH : 1e-9 * Math.max(1, Math.abs(expected));
    return Math.abs(expected - got) <= slack;
  }
  return JSON.stringify(expected) === JSON.stringify(got);
}

function deviceFields(device: GpuDevice, sample: GpuSample | undefined): Fields {
  const { mig, ...rest } = device;
  return {
    ...rest,
    ...sample,
    vramPct: sample?.memoryUsedPct ?? null,
    allocatedMiB: sample?.memoryAllocatedMiB ?? null,
    cores: device.coreCount ?? null,
    tiles: device.tileCount ?? null,
    unifiedMemory: device.memoryKind === 'unified',
    migMode: mig === null ? null : mig.enabled ? 'Enabled' : 'Disabled',
    mig: (mig?.instances ?? []).map(instance => ({
      ...instance,
      dev: instance.index,
      gi: instance.gpuInstanceId,
      ci: instance.computeInstanceId,
    })),
  };
}

function processFields(process: GpuProcess): Fields {
  return {
    ...process,
    gi: process.gpuInstanceId,
    ci: process.computeInstanceId,
    memPct: process.memBusyPct ?? null,
  };
}

function differences(name: string, expected: readonly Fields[], got: readonly Fields[]): readonly Looked[] {
  const lengths = looked(`${name}.length`, expected.length, got.length);
  if (!lengths.isRight) return [lengths];
  return [lengths, ...expected.flatMap((row, at) => fieldsOf(`${name}[${at}]`, row, got[at] ?? {}))];
}

function fieldsOf(path: string, expected: Fields, got: Fields): readonly Looked[] {
  return Object.entries(expected)
    .filter(([field]) => !REMARKS.has(field))
    .flatMap(([field, value]) => {
      const name = `${path}.${field}`;
      if (Array.isArray(value) && typeof value[0] === 'object') {
        return differences(name, value as readonly Fields[], (got[field] ?? []) as readonly Fields[]);
      }
      return [looked(name, value, got[field] ?? null)];
    });
}

/** Other fields of an index besides devices and processes, if a reading has them. */
function otherFields(expected: Fields, reading: ToolReading): readonly Looked[] {
  const got: Fields = {
    error: reading.error?.kind ?? null,
    warnings: reading.warnings,
    driverVersion: reading.driverVersion ?? reading.devices[0]?.driverVersion ?? null,
    cudaVersion: reading.cudaVersion,
    rocmVersion: reading.rocmVersion ?? null,
    toolVersion: reading.toolVersion ?? null,
    streamSamples: reading.samples.length,
    processesHidden: reading.processesHidden ?? null,
    throttle: reading.samples[0]?.throttleReasons ?? null,
    fieldsPresent: among(expected['fieldsPresent'], reading, true),
    fieldsAbsent: among(expected['fieldsAbsent'], reading, false),
    attachedGpus: reading.attachedGpus ?? null,
    versionText: reading.toolVersion !== undefined && reading.toolVersion !== null,
  };
  const fields = Object.keys(expected).filter(field => !REMARKS.has(field));
  return [...new Set([...fields, 'error'])].map(field => {
    const value = expected[field] ?? null;
    return looked(field, inOurWords(field, value), got[field] ?? null);
  });
}

/**
 * The index prefixes the vendor to values that only its tool prints, and names throttling in the driver's words.
 */
function inOurWords(field: string, value: unknown): unknown {
  if (field === 'error' && typeof value === 'string') return value.replace(/^amd-/, '');
  return field === 'throttle' ? reasonsByName(value as readonly string[]) : value;
}

/** The given field names that a reading has, or does not have. */
function among(names: unknown, { fields = [] }: ToolReading, present: boolean): readonly string[] {
  return ((names ?? []) as readonly string[]).filter(name => fields.includes(name) === present);
}

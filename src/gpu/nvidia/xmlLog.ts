import type { GpuDevice, MigInstance } from '../device';
import { measureOf } from '../parse/amount';
import { dedented } from '../parse/text';
import { measuresFrom, processTypeOf } from '../sample';
import type { EngineLoad, GpuProcess, GpuSample, Measure, MigSample } from '../sample';
import { EMPTY_READING } from '../tool';
import type { ToolOutput, ToolReading } from '../tool';
import { idOf, integerOf, memoryKindOf, numberOf, reasonsByName, textOf } from './values';
import { errorOf, warningOf } from './errors';
import { EXCERPT, parseLogText } from './logText';
import { all, at, parseXml } from './xml';
import type { XmlElement } from './xml';

/**
 * Paths of each measure in the XML of `nvidia-smi -q -x`, newest name first: 535 renamed the power section, 570
 * split the draw into instant and average, 610 moved limits to separate sections. Before 319 there was one memory.
 */
const PLACES: Readonly<Partial<Record<Measure, readonly (readonly string[])[]>>> = {
  utilPct: [['utilization', 'gpu_util']],
  memBusyPct: [['utilization', 'memory_util']],
  memoryUsedMiB: [
    ['fb_memory_usage', 'used'],
    ['memory_usage', 'used'],
  ],
  memoryFreeMiB: [
    ['fb_memory_usage', 'free'],
    ['memory_usage', 'free'],
  ],
  memoryReservedMiB: [['fb_memory_usage', 'reserved']],
  tempC: [['temperature', 'gpu_temp']],
  tempMemC: [['temperature', 'memory_temp']],
  powerW: [
    ['gpu_power_readings', 'instant_power_draw'],
    ['gpu_power_readings', 'power_draw'],
    ['power_readings', 'power_draw'],
    ['gpu_power_readings', 'average_power_draw'],
  ],
  powerInstantW: [['gpu_power_readings', 'instant_power_draw']],
  powerAvgW: [['gpu_power_readings', 'average_power_draw']],
  powerLimitW: [
    ['gpu_power_readings', 'current_power_limit'],
    ['gpu_power_readings', 'gpu_ceiling_power_limit', 'current_power_limit'],
    ['gpu_power_readings', 'power_limit'],
    ['power_readings', 'power_limit'],
  ],
  fanPct: [['fan_speed']],
  clockSmMHz: [['clocks', 'sm_clock']],
  clockMemMHz: [['clocks', 'mem_clock']],
};

/** Output of `nvidia-smi -q -x`; of several documents, the last one with devices. */
export function readXmlLog(output: ToolOutput, receivedMs: number): ToolReading {
  return readLog(parseXml(output.stdout), output, receivedMs);
}

/** Human-readable output of `nvidia-smi -q`. */
export function readTextLog(output: ToolOutput, receivedMs: number): ToolReading {
  return readLog(parseLogText(dedented(output.stdout)), output, receivedMs);
}

function readLog(root: XmlElement, output: ToolOutput, receivedMs: number): ToolReading {
  const logs = all(root, 'nvidia_smi_log');
  const log = logs.findLast(one => all(one, 'gpu').length > 0) ?? logs.at(-1) ?? root;
  const parts = partsOf(log);
  const gpus = parts.filter(gpu => gpu.attributes !== EXCERPT);
  const driverVersion = driverOf(log);
  const devices = gpus.map((gpu, index) => deviceOf(gpu, index, log));
  // Processes above the first GPU are of one whose lines were cut off.
  const cutOff = log === root || parts.includes(log) ? [] : processesOf(log, null);
  const processes = [...cutOff, ...parts.flatMap((gpu, index) => processesOf(gpu, index))];
  const attachedGpus = numberAt(log, 'attached_gpus');
  return {
    ...EMPTY_READING,
    devices,
    samples: gpus.map((gpu, index) => sampleOf(gpu, devices[index]?.key ?? '', receivedMs)),
    processes,
    error: errorOf(output, devices.length + processes.length > 0),
    warnings: output.stdout.split(/\r?\n/).flatMap(line => warningOf(line) ?? []),
    driverVersion,
    cudaVersion: versionAt(log, ['cuda_umd_version'], ['cuda_version']),
    ...(attachedGpus === null ? {} : { attachedGpus }),
  };
}

/** Sections of a GPU, as an excerpt may show them without the line that names it. */
const SECTIONS = new Set(
  Object.values(PLACES).flatMap(paths => paths.flatMap(path => path.slice(0, -1).slice(0, 1))),
);

/** What else only a GPU has. */
const IDENTITIES = new Set(['uuid', 'pci']);

/** The GPUs of a log. An excerpt without their first lines is of one. */
function partsOf(log: XmlElement): readonly XmlElement[] {
  const gpus = all(log, 'gpu');
  const isExcerpt =
    gpus.length === 0 && log.children.some(({ name }) => SECTIONS.has(name) || IDENTITIES.has(name));
  return isExcerpt ? [log] : gpus;
}

/** A version, without the remarks that newer drivers append. */
function versionAt(log: XmlElement, ...places: readonly (readonly string[])[]): string | null {
  const words = places.map(place => wordsAt(log, place)).find(text => text !== null && /^\d/.test(text));
  return words?.split(' ')[0] ?? null;
}

function wordsAt(element: XmlElement, path: readonly string[]): string | null {
  return textOf(at(element, ...path)?.text ?? '');
}

function numberAt(element: XmlElement, ...path: readonly string[]): number | null {
  return numberOf(at(element, ...path)?.text ?? '');
}

const driverOf = (log: XmlElement): string | null => versionAt(log, ['kmd_version'], ['driver_version']);

function deviceOf(gpu: XmlElement, index: number, log: XmlElement): GpuDevice {
  const uuid = idOf(at(gpu, 'uuid')?.text ?? '');
  const pciBusId = wordsAt(gpu, ['pci', 'pci_bus_id']) ?? /id="([^"]+)"/.exec(gpu.attributes)?.[1] ?? null;
  const migMode = wordsAt(gpu, ['mig_mode', 'current_mig']);
  const virtualization = wordsAt(gpu, ['gpu_virtualization_mode', 'virtualization_mode']);
  // An excerpt of a log may have the GPUs' name once, above them.
  const name = wordsAt(gpu, ['product_name']) ?? wordsAt(log, ['product_name']);
  const memoryTotalMiB = numberAt(gpu, 'fb_memory_usage', 'total') ?? numberAt(gpu, 'memory_usage', 'total');
  return {
    key: uuid ?? pciBusId ?? `nvidia:${index}`,
    vendor: 'nvidia',
    index,
    uuid,
    pciBusId,
    name,
    memoryTotalMiB,
    memoryKind: memoryKindOf(name, memoryTotalMiB),
    driverVersion: driverOf(log),
    driverModel: wordsAt(gpu, ['driver_model', 'current_dm']),
    powerMaxW:
      numberAt(gpu, 'gpu_power_readings', 'max_power_limit') ??
      numberAt(gpu, 'power_readings', 'max_power_limit'),
    persistenceMode: onOff(wordsAt(gpu, ['persistence_mode'])),
    virtualization: virtualization === 'None' ? null : virtualization,
    mig:
      migMode === null
        ? null
        : { enabled: migMode === 'Enabled', instances: all(at(gpu, 'mig_devices'), 'mig_device').map(migOf) },
  };
}

const onOff = (text: string | null): boolean | null =>
  text === 'Enabled' ? true : text === 'Disabled' ? false : null;

function migOf(element: XmlElement, position: number): MigInstance {
  return {
    index: integerOf(at(element, 'index')?.text ?? '') ?? position,
    uuid: wordsAt(element, ['uuid']),
    profile: null,
    gpuInstanceId: numberAt(element, 'gpu_instance_id'),
    computeInstanceId: numberAt(element, 'compute_instance_id'),
    memoryTotalMiB: numberAt(element, 'fb_memory_usage', 'total'),
    memoryUsedMiB: numberAt(element, 'fb_memory_usage', 'used'),
  };
}

function sampleOf(gpu: XmlElement, key: string, receivedMs: number): GpuSample {
  const measures = measuresFrom(
    measure => (PLACES[measure] ?? []).flatMap(path => at(gpu, ...path)?.text ?? []),
    measureOf,
  );
  const throttle = throttleOf(gpu);
  const mig = migSamplesOf(gpu);
  return {
    key,
    receivedMs,
    ...measures,
    pstate: wordsAt(gpu, ['performance_state']),
    engines: enginesOf(gpu),
    ...(throttle === null ? {} : { throttleReasons: throttle }),
    ...(mig.length === 0 ? {} : { mig }),
  };
}

const ENGINES = ['encoder', 'decoder', 'jpeg', 'ofa'] as const;

function enginesOf(gpu: XmlElement): readonly EngineLoad[] {
  return ENGINES.flatMap(name => {
    const busyPct = numberAt(gpu, 'utilization', `${name}_util`) ?? numberAt(gpu, 'utilization', name);
    return busyPct === null ? [] : [{ name, busyPct }];
  });
}

/** The active reasons in the section that 535 renamed; null if there is none. */
function throttleOf(gpu: XmlElement): readonly string[] | null {
  const section = at(gpu, 'clocks_event_reasons') ?? at(gpu, 'clocks_throttle_reasons');
  if (!section) return null;
  const flat = section.children.flatMap(child => [child, ...child.children]);
  const active = flat.filter(({ text }) => text.trim() === 'Active');
  return reasonsByName(active.map(({ name }) => name.replace(/^clocks_(?:event|throttle)_reason_/, '')));
}

function migSamplesOf(gpu: XmlElement): readonly MigSample[] {
  return all(at(gpu, 'mig_devices'), 'mig_device').map(element => ({
    gpuInstanceId: numberAt(element, 'gpu_instance_id'),
    computeInstanceId: numberAt(element, 'compute_instance_id'),
    memoryUsedMiB: numberAt(element, 'fb_memory_usage', 'used'),
    utilPct: null,
  }));
}

function processesOf(gpu: XmlElement, gpuIndex: number | null): readonly GpuProcess[] {
  return all(at(gpu, 'processes') ?? at(gpu, 'compute_processes'), 'process_info').flatMap(element => {
    const pid = integerOf(at(element, 'pid')?.text ?? '');
    if (pid === null) return [];
    return [
      {
        pid,
        name: wordsAt(element, ['process_name']),
        memoryUsedMiB: numberAt(element, 'used_memory'),
        type: processTypeOf(wordsAt(element, ['type'])),
        gpuIndex,
        gpuUuid: wordsAt(gpu, ['uuid']),
        pciBusId: wordsAt(gpu, ['pci', 'pci_bus_id']),
        gpuInstanceId: numberAt(element, 'gpu_instance_id'),
        computeInstanceId: numberAt(element, 'compute_instance_id'),
      },
    ];
  });
}

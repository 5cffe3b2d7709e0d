import { unknownDevice } from '../device';
import type { GpuDevice } from '../device';
import { blankSample, unknownProcess } from '../sample';
import type { GpuProcess, GpuSample } from '../sample';
import { valueAt, field, isRecord, numberIn, parsedJson, textIn } from '../../core/text/json';
import type { JsonRecord } from '../../core/text/json';

/** The GPU readings of a cluster's node agents; empty if they cannot read GPUs (no NVML). */
interface RayGpus {
  readonly devices: readonly GpuDevice[];
  readonly samples: readonly GpuSample[];
  readonly processes: readonly GpuProcess[];
}

/** GPUs in a response of `/nodes?view=summary`; null if it is not one. */
export function parseRayGpus(body: string, receivedMs: number): RayGpus | null {
  const list = valueAt(parsedJson(body), 'data', 'summary');
  if (!Array.isArray(list)) return null;
  const gpus = list.filter(isRecord).filter(isAlive).flatMap(gpusOf);
  return {
    devices: gpus.map(deviceOf),
    samples: gpus.map(gpu => sampleOf(gpu, receivedMs)),
    processes: gpus.flatMap(processesOf),
  };
}

interface NodeGpu {
  readonly node: string;
  readonly index: number;
  readonly key: string;
  readonly gpu: JsonRecord;
}

/** Before 2.7 a node without a state is alive. */
const isAlive = (node: JsonRecord): boolean => (valueAt(node, 'raylet', 'state') ?? 'ALIVE') === 'ALIVE';

function gpusOf(node: JsonRecord): readonly NodeGpu[] {
  const list = Array.isArray(node['gpus']) ? node['gpus'].filter(isRecord) : [];
  const id = textIn(valueAt(node, 'raylet', 'nodeId')) ?? textIn(node['ip']) ?? '';
  const name = textIn(node['hostname']) ?? textIn(node['ip']) ?? id;
  return list.map((gpu, at) => {
    const index = numberIn(gpu['index']) ?? at;
    return { node: name, index, key: textIn(gpu['uuid']) ?? `${id}:${index}`, gpu };
  });
}

function deviceOf({ node, index, key, gpu }: NodeGpu): GpuDevice {
  const name = textIn(gpu['name']);
  const uuid = textIn(gpu['uuid']);
  return unknownDevice({
    key,
    vendor: vendorOf(name ?? '', uuid ?? ''),
    index,
    node,
    uuid,
    name,
    memoryTotalMiB: numberIn(field(gpu, 'memory_total')),
    memoryKind: 'dedicated',
  });
}

function vendorOf(name: string, uuid: string): GpuDevice['vendor'] {
  if (/\b(?:amd|instinct|radeon)\b/i.test(name)) return 'amd';
  return /^(?:GPU|MIG)-/.test(uuid) || /nvidia|tesla|geforce/i.test(name) ? 'nvidia' : 'unknown';
}

/** Memory is in MiB (Ray divides by 2^20 and calls it MB); power is in mW since 2.50. */
function sampleOf({ key, gpu }: NodeGpu, receivedMs: number): GpuSample {
  const total = numberIn(field(gpu, 'memory_total'));
  const used = numberIn(field(gpu, 'memory_used'));
  const powerMw = numberIn(field(gpu, 'power_mw'));
  return blankSample(key, receivedMs, {
    utilPct: numberIn(field(gpu, 'utilization_gpu')),
    memoryUsedMiB: used,
    memoryFreeMiB: total === null || used === null ? null : total - used,
    tempC: numberIn(field(gpu, 'temperature_c')),
    powerW: powerMw === null ? null : powerMw / 1000,
  });
}

/** Keyed by pid since 2.40, a list before. */
function processesOf({ key, index, gpu }: NodeGpu): readonly GpuProcess[] {
  const found = field(gpu, 'processes_pids');
  const list = isRecord(found) ? Object.values(found) : Array.isArray(found) ? found : [];
  return list.filter(isRecord).flatMap(process => {
    const pid = numberIn(process['pid']);
    if (pid === null) return [];
    return unknownProcess({
      pid,
      memoryUsedMiB: numberIn(field(process, 'gpu_memory_usage')),
      type: 'C',
      smPct: numberIn(field(process, 'gpu_utilization')),
      deviceKey: key,
      gpuIndex: index,
      gpuUuid: textIn(gpu['uuid']),
    });
  });
}

import { unknownDevice } from '../device';
import type { GpuDevice } from '../device';
import { amountOf, countOf, wordsOf } from '../parse/amount';
import { isList, isObject, leafText, valueAt } from '../parse/json';
import type { Json, JsonObject } from '../parse/json';
import { readingOf, shown } from '../parse/reading';
import type { Shown } from '../parse/reading';
import { vendorOf } from '../system/vendor';
import type { ToolReading } from '../tool';

const MODEL = /"model"\s*=\s*<?"([^"]*)">?/;

/** A number of ioreg's statistics by its full key, because others share its start. */
const statistic = (text: string, key: string): string | undefined =>
  new RegExp(`"${key}"=(\\d+)(?=[,}])`).exec(text)?.[1];

const inBytes = (text: string | undefined): string | undefined => (text === undefined ? text : `${text} B`);

/** Output of `ioreg -c IOAccelerator`: a block per accelerator, starting with `+-o`. */
export function readIoreg(text: string, receivedMs: number): ToolReading {
  const blocks = text.split(/^[ |]*\+-o /m).filter(block => block.includes('"PerformanceStatistics"'));
  return readingOf(blocks.map((block, index) => acceleratorIn(block, index, receivedMs)));
}

function acceleratorIn(block: string, index: number, receivedMs: number): Shown {
  const name = wordsOf(MODEL.exec(block)?.[1]);
  const vendor = vendorOf(name ?? block.slice(0, block.indexOf('\n')));
  const shared = statistic(block, 'In use system memory');
  const vram = statistic(block, 'vramUsedBytes');
  const isUnified = vendor === 'apple' || (vendor === 'unknown' && shared !== undefined);
  const device = unknownDevice({
    key: `${isUnified ? 'apple' : vendor}:${index}`,
    vendor: isUnified ? 'apple' : vendor,
    index,
    name,
    memoryKind: isUnified ? 'unified' : 'unknown',
    coreCount: countOf(/"gpu-core-count"\s*=\s*(\d+)/.exec(block)?.[1]),
  });
  const texts = {
    utilPct: [statistic(block, 'Device Utilization %'), statistic(block, 'GPU Activity\\(%\\)')],
    // An Intel GPU uses the system's memory, too, but its total is unknown.
    memoryUsedMiB: [inBytes(isUnified || (vendor === 'intel' && vram === undefined) ? shared : vram)],
    memoryAllocatedMiB: [inBytes(statistic(block, 'Alloc system memory'))],
    tempC: [statistic(block, 'Temperature\\(C\\)')],
    powerW: [statistic(block, 'Total Power\\(W\\)')],
    fanPct: [statistic(block, 'Fan Speed\\(%\\)')],
    fanRpm: [statistic(block, 'Fan Speed\\(RPM\\)')],
    clockSmMHz: [statistic(block, 'Core Clock\\(MHz\\)')],
    clockMemMHz: [statistic(block, 'Memory Clock\\(MHz\\)')],
  };
  return shown(device, texts, receivedMs);
}

/** Output of `system_profiler SPDisplaysDataType -json`. Displays are nested in the GPUs. */
export function readProfilerJson(values: readonly Json[], receivedMs: number): ToolReading {
  const all = values.flatMap(value => {
    const list = valueAt(value, 'spdisplaysdatatype');
    return isList(list) ? list.filter(isObject) : [];
  });
  return readingOf(all.map((gpu, index) => shown(profiledJson(gpu, index), {}, receivedMs)));
}

function profiledJson(gpu: JsonObject, index: number): GpuDevice {
  const words = (key: string): string | null => wordsOf(leafText(valueAt(gpu, key)));
  const memory =
    words('spdisplays_vram') ?? words('_spdisplays_vram') ?? words('spdisplays_vram_shared') ?? '';
  return profiled(index, words('sppci_model'), words('spdisplays_vendor'), words('sppci_cores'), memory);
}

function profiled(
  index: number,
  name: string | null,
  maker: string | null,
  cores: string | null,
  memory: string,
): GpuDevice {
  const vendor = vendorOf(`${name ?? ''} ${(maker ?? '').replace(/_/g, ' ')}`);
  const memoryTotalMiB = amountOf(memory, 'MiB');
  const kind = memoryTotalMiB === null || vendor === 'intel' ? 'unknown' : 'dedicated';
  return unknownDevice({
    key: `${vendor}:${index}`,
    vendor,
    index,
    name,
    memoryTotalMiB,
    memoryKind: vendor === 'apple' ? 'unified' : kind,
    coreCount: countOf(cores),
  });
}

/** The human-readable form: a heading per GPU indented by four spaces, its facts by six. */
export function readProfilerText(text: string, receivedMs: number): ToolReading {
  const gpus: Map<string, string>[] = [];
  // Its title is not indented where the output is whole.
  const shared = /^( *)Graphics\/Displays:/m.exec(text)?.[1]?.length ?? 0;
  for (const whole of text.split(/\r?\n/)) {
    const line = whole.slice(shared);
    if (/^ {4}\S.*:\s*$/.test(line)) gpus.push(new Map());
    const [, key, value] = /^ {6}([^ :][^:]*): (.*)/.exec(line) ?? [];
    if (key === undefined || value === undefined) continue;
    // A second chip under one heading: the heading between them is missing.
    if (key === 'Chipset Model' && gpus.at(-1)?.has(key) !== false) gpus.push(new Map());
    gpus.at(-1)?.set(key.replace(/^VRAM .*/, 'VRAM'), value.trimEnd());
  }
  const all = gpus.flatMap((gpu, index) =>
    gpu.has('Chipset Model')
      ? [
          profiled(
            index,
            wordsOf(gpu.get('Chipset Model')),
            gpu.get('Vendor') ?? null,
            gpu.get('Total Number of Cores') ?? null,
            gpu.get('VRAM') ?? '',
          ),
        ]
      : [],
  );
  return readingOf(all.map(device => shown(device, {}, receivedMs)));
}

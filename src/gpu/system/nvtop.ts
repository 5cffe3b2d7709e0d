import { unknownDevice } from '../device';
import { amountOf, countOf, wordsOf } from '../parse/amount';
import { isList, isObject, leafText, valueAt } from '../parse/json';
import type { Json, JsonObject } from '../parse/json';
import { readingOf, shown } from '../parse/reading';
import type { Shown } from '../parse/reading';
import { unknownProcess } from '../sample';
import type { EngineLoad, GpuProcess } from '../sample';
import type { ToolReading } from '../tool';
import { vendorOf } from './vendor';

/** Output of `nvtop -s`: every value is a string with its unit, memory is in bytes. */
export function readNvtop(values: readonly Json[], receivedMs: number): ToolReading {
  const gpus = values
    .flatMap(value => (isList(value) ? value : [value]))
    .filter(isObject)
    .filter(gpu => ['device_name', 'gpu_util', 'mem_total'].some(key => valueAt(gpu, key) !== undefined));
  return readingOf(
    gpus.map((gpu, index) => shownOf(gpu, index, receivedMs)),
    { processes: gpus.flatMap(processesOf) },
  );
}

function shownOf(gpu: JsonObject, index: number, receivedMs: number): Shown {
  const text = (key: string): string | undefined => leafText(valueAt(gpu, key));
  const bytes = (key: string): string | undefined => {
    const digits = text(key);
    return digits === undefined ? digits : `${digits} B`;
  };
  const name = wordsOf(text('device_name'));
  const vendor = vendorOf(name ?? '');
  const pciBusId = wordsOf(text('pdev'));
  const device = unknownDevice({
    key: pciBusId ?? `${vendor}:${index}`,
    vendor,
    index,
    pciBusId,
    name,
    memoryTotalMiB: amountOf(bytes('mem_total') ?? '', 'MiB'),
  });
  const texts = {
    utilPct: [text('gpu_util')],
    memoryUsedPct: [text('mem_util')],
    memoryUsedMiB: [bytes('mem_used')],
    memoryFreeMiB: [bytes('mem_free')],
    tempC: [text('temp')],
    powerW: [text('power_draw')],
    fanPct: [text('fan_speed')],
    fanRpm: [text('fan_rpm')],
    clockSmMHz: [text('gpu_clock')],
    clockMemMHz: [text('mem_clock')],
  };
  return shown(device, texts, receivedMs, enginesOf(gpu));
}

function enginesOf(gpu: JsonObject): { readonly engines?: readonly EngineLoad[] } {
  const engines = ['encode', 'decode'].flatMap(name => {
    const busyPct = amountOf(leafText(valueAt(gpu, name)) ?? '', 'Pct');
    return busyPct === null ? [] : [{ name, busyPct }];
  });
  return engines.length > 0 ? { engines } : {};
}

function processesOf(gpu: JsonObject, gpuIndex: number): readonly GpuProcess[] {
  const list = valueAt(gpu, 'processes');
  if (!isList(list)) return [];
  return list.flatMap(entry => {
    const text = (key: string): string | undefined => leafText(valueAt(entry, key));
    const pid = countOf(text('pid'));
    if (pid === null) return [];
    return [
      unknownProcess({
        pid,
        name: wordsOf(text('cmdline'))?.split(' ')[0] ?? null,
        memoryUsedMiB: amountOf(text('gpu_mem_bytes_alloc') ?? '', 'MiB', 'B'),
        gpuIndex,
      }),
    ];
  });
}

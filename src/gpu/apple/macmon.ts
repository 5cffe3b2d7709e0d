import { unknownDevice } from '../device';
import { amountOf, countOf, wordsOf } from '../parse/amount';
import { isList, isObject, leafText, valueAt } from '../parse/json';
import type { Json } from '../parse/json';
import { readingOf, shown } from '../parse/reading';
import type { ToolReading } from '../tool';

/** Converts a ratio of 0 to 1 to percent. */
function percentOf(ratio: Json | undefined): string | undefined {
  return typeof ratio === 'number' && ratio >= 0 && ratio <= 1.0001 ? String(ratio * 100) : undefined;
}

/** `[MHz, ratio]`, later with the number of cores. */
const WITHOUT_CORES = 2;
const WITH_CORES = 3;

interface Usage {
  readonly mhz: Json | undefined;
  readonly ratio: Json | undefined;
  readonly cores: Json | undefined;
}

/**
 * The GPU's clock and utilization: until 2025 `[MHz, ratio]`, then a map of clusters, since 2026 flat with an
 * activity ratio.
 */
function usageIn(value: Json): Usage {
  const flat = valueAt(value, 'gpu_active_ratio');
  if (flat !== undefined) return { mhz: valueAt(value, 'gpu_freq_mhz'), ratio: flat, cores: undefined };
  const clusters = valueAt(value, 'usage', 'gpu');
  const list = isObject(clusters) ? Object.values(clusters)[0] : valueAt(value, 'gpu_usage');
  // A decimal comma would turn two numbers into three.
  const isWhole = isList(list) && list.length === (isObject(clusters) ? WITH_CORES : WITHOUT_CORES);
  if (!isList(list) || !isWhole) return { mhz: undefined, ratio: undefined, cores: undefined };
  return { mhz: list[0], ratio: list[1], cores: list[2] };
}

/** One tick of `macmon pipe`. The memory is the whole system's; the GPU's share is not reported. */
export function readMacmon(value: Json, receivedMs: number): ToolReading {
  const { mhz, ratio, cores } = usageIn(value);
  const power = valueAt(value, 'gpu_power') ?? valueAt(value, 'power', 'gpu');
  const total = leafText(valueAt(value, 'memory', 'ram_total'));
  if (mhz === undefined && power === undefined) return readingOf([]);
  const device = unknownDevice({
    key: 'apple:0',
    vendor: 'apple',
    index: 0,
    name: wordsOf(leafText(valueAt(value, 'soc', 'chip_name'))),
    memoryTotalMiB: amountOf(total ?? '', 'MiB', 'B'),
    memoryKind: 'unified',
    coreCount: countOf(leafText(cores) ?? leafText(valueAt(value, 'soc', 'gpu_cores'))),
  });
  const texts = {
    utilPct: [percentOf(ratio)],
    tempC: [leafText(valueAt(value, 'temp', 'gpu_temp_avg'))],
    powerW: [leafText(power)],
    clockSmMHz: [leafText(mhz)],
  };
  return readingOf([shown(device, texts, receivedMs, { powerKind: 'instant' })]);
}

/** One tick of `mactop --headless`: watts and percent. */
export function readMactop(value: Json, receivedMs: number): ToolReading {
  if (!isObject(valueAt(value, 'soc_metrics'))) return readingOf([]);
  const device = unknownDevice({
    key: 'apple:0',
    vendor: 'apple',
    index: 0,
    name: wordsOf(leafText(valueAt(value, 'system_info', 'name'))),
    memoryTotalMiB: amountOf(leafText(valueAt(value, 'memory', 'total')) ?? '', 'MiB', 'B'),
    memoryKind: 'unified',
    coreCount: countOf(leafText(valueAt(value, 'system_info', 'gpu_core_count'))),
  });
  const texts = {
    utilPct: [leafText(valueAt(value, 'gpu_usage'))],
    tempC: [leafText(valueAt(value, 'soc_metrics', 'gpu_temp')), leafText(valueAt(value, 'gpu_temp'))],
    powerW: [leafText(valueAt(value, 'soc_metrics', 'gpu_power'))],
    clockSmMHz: [leafText(valueAt(value, 'soc_metrics', 'gpu_freq_mhz'))],
  };
  return readingOf([shown(device, texts, receivedMs, { powerKind: 'instant' })]);
}

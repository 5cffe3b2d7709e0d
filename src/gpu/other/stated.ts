import { unknownDevice } from '../device';
import { readGpuTable } from '../nvidia/tables';
import { amountOf, countOf } from '../parse/amount';
import { readingOf, shown } from '../parse/reading';
import type { Shown } from '../parse/reading';
import type { Measure } from '../sample';
import type { ToolOutput, ToolReading } from '../tool';

/** The fields of `hl-smi -Q` have the names of nvidia-smi's but for these. */
const OWN_FIELDS: readonly (readonly [RegExp, string])[] = [
  [/\b(temperature|utilization)\.(?:aip|hpu|npu)\b/g, '$1.gpu'],
  [/(^|, ?)bus_id\b/g, '$1pci.bus_id'],
];

/** A table with the columns that someone asked for, as CSV. */
export function readOwnCsv(output: ToolOutput, receivedMs: number): ToolReading {
  const stdout = OWN_FIELDS.reduce((text, [own, known]) => text.replace(own, known), output.stdout);
  // Without such a field it is nvidia-smi's.
  if (stdout === output.stdout) return readingOf([]);
  const reading = readGpuTable(['--query-gpu='], { ...output, stdout }, receivedMs);
  return {
    ...reading,
    devices: reading.devices.map(device => ({ ...device, vendor: 'unknown' as const })),
    error: null,
  };
}

/** What `npu-smi info -t` says a line each, with the unit in the name: `HBM Capacity(MB) : 32768`. */
const LINE = /^([A-Za-z][\w -]{1,40}?)(?:\((MB|%|C|W|MHz)\))?\s{0,40}: ?(\S.{0,60})$/;
const CARD = /^NPU ID$/i;
const CHIP = /^Chip ID$/i;
const MEASURES: readonly (readonly [RegExp, Measure])[] = [
  [/^Aicore Usage Rate$/i, 'utilPct'],
  [/^(?:HBM|DDR|Memory) Usage Rate$/i, 'memoryUsedPct'],
  [/^(?:NPU )?(?:Real-time )?Power(?: Dissipation)?$/i, 'powerW'],
  [/^(?:NPU )?Temperature$/i, 'tempC'],
  [/^HBM Temperature$/i, 'tempMemC'],
  [/^Aicore Freq$/i, 'clockSmMHz'],
];
const CAPACITY = /^(?:HBM|DDR|Memory) Capacity$/i;

/** The chips of cards: the number of a chip stands behind its values. */
export function readStated(text: string, receivedMs: number): ToolReading {
  const all: Shown[] = [];
  let card: number | null = null;
  let texts: Partial<Record<Measure, readonly string[]>> = {};
  let totalMiB: number | null = null;
  const close = (): void => {
    if (card === null || Object.keys(texts).length + (totalMiB ?? 0) === 0) return;
    const index = all.some(({ device }) => device.index === card) ? all.length : card;
    const device = unknownDevice({
      key: `other:${index}`,
      vendor: 'unknown',
      index,
      memoryTotalMiB: totalMiB,
      memoryKind: totalMiB === null ? 'unknown' : 'dedicated',
    });
    all.push(shown(device, texts, receivedMs));
    [texts, totalMiB] = [{}, null];
  };
  for (const line of text.split(/\r?\n/)) {
    const [, written = '', unit = '', value = ''] = LINE.exec(line.slice(0, 200).trim()) ?? [];
    const name = written.trim();
    if (CARD.test(name)) {
      close();
      card = countOf(value);
    } else if (CHIP.test(name)) close();
    // A card's HBM comes behind its DDR, which may be none.
    else if (CAPACITY.test(name)) totalMiB = Math.max(totalMiB ?? 0, amountOf(`${value}${unit}`, 'MiB') ?? 0);
    else {
      const measure = MEASURES.find(([one]) => one.test(name))?.[1];
      if (measure !== undefined) texts[measure] = [`${value}${unit}`];
    }
  }
  close();
  return readingOf(all);
}

import { unknownDevice } from '../device';
import { amountOf, countOf, wordsOf } from '../parse/amount';
import { cellsOf } from '../parse/text';
import { readingOf, shown } from '../parse/reading';
import type { Shown } from '../parse/reading';
import { processTypeOf, unknownProcess } from '../sample';
import type { GpuProcess } from '../sample';
import { vendorOf } from '../system/vendor';
import type { ToolReading } from '../tool';

const NAMED = /^\s*(\d{1,4})\s+(\S.*)\s(?:On|Off|N\/A)$/;
const BUS = /^\s*([0-9a-f:.]{7,20})\s/i;
const POWER = /^(\S{1,20}) \/ (\S{1,20})$/;

/** A device of the table whose second line is still to come. */
interface Begun {
  readonly index: number;
  readonly pciBusId: string | null;
  readonly name: string;
}

/**
 * The table that xpu-smi prints without options since 2.0, similar to nvidia-smi's: a line with the name, which may
 * continue in the next, then one with the measures.
 */
export function readTable(text: string, receivedMs: number): ToolReading {
  const all: Shown[] = [];
  let device: Begun | null = null;
  for (const line of text.split(/\r?\n/)) {
    const [, left = '', middle = '', right] = line.split('|');
    const before: Begun | null = device;
    device = right === undefined ? null : parseStart(left, middle, before);
    if (right !== undefined && device === null && before !== null) {
      all.push(shownOf(before, cellsOf(left), middle, cellsOf(right), receivedMs));
    }
  }
  // nvidia-smi's table has the same form.
  if (all.some(({ device: { name } }) => vendorOf(name ?? '') === 'nvidia')) return readingOf([]);
  return readingOf(all, { processes: text.split(/\r?\n/).flatMap(processIn) });
}

/** What tells a row of this table from one with more numbers. */
const WITH_UNIT = /^\d[\d.]* ?[KMG]i?B$/;

/** A row of the second table: `| 0  2874292  C  xpu-smi  206 MiB |`. */
function processIn(line: string): readonly GpuProcess[] {
  const [gpu, pid, type, name, memory] = cellsOf(line.replaceAll('|', ' '));
  const found = countOf(pid);
  if (found === null || countOf(gpu) === null || type === undefined || !WITH_UNIT.test(memory ?? '')) {
    return [];
  }
  return [
    unknownProcess({
      pid: found,
      name: wordsOf(name),
      memoryUsedMiB: amountOf(memory ?? '', 'MiB'),
      type: processTypeOf(type),
      gpuIndex: countOf(gpu),
    }),
  ];
}

/** The device that a line starts or continues; null if it ends. */
function parseStart(left: string, middle: string, before: Begun | null): Begun | null {
  const [, index, name] = NAMED.exec(left.trimEnd()) ?? [];
  if (index !== undefined && name !== undefined) {
    return { index: Number(index), name: name.trimEnd(), pciBusId: BUS.exec(middle)?.[1] ?? null };
  }
  return before !== null && middle.trim() === ''
    ? { ...before, name: `${before.name} ${left.trim()}`.trim() }
    : null;
}

function shownOf(
  { index, name, pciBusId }: Begun,
  left: readonly string[],
  middle: string,
  right: readonly string[],
  receivedMs: number,
): Shown {
  const [fan, temp, power = ''] = left;
  const [, draw, limit] = POWER.exec(power) ?? [];
  const [used, total = ''] = middle.split('/').map(part => part.trim());
  const memoryTotalMiB = amountOf(total, 'MiB');
  const device = unknownDevice({
    key: pciBusId ?? `intel:${index}`,
    vendor: 'intel',
    index,
    pciBusId,
    name: wordsOf(name),
    memoryTotalMiB,
    memoryKind: memoryTotalMiB === null ? 'unknown' : 'dedicated',
  });
  const texts = {
    fanPct: [fan],
    tempC: [temp],
    powerW: [draw],
    powerLimitW: [limit],
    memoryUsedMiB: [used],
    utilPct: [right[0]],
  };
  return shown(device, texts, receivedMs);
}

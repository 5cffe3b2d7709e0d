import { unknownDevice } from '../device';
import { amountOf, countOf, wordsOf } from '../parse/amount';
import { cellsOf } from '../parse/text';
import { readingOf, shown } from '../parse/reading';
import type { Shown } from '../parse/reading';
import { unknownProcess } from '../sample';
import type { GpuProcess } from '../sample';
import type { ToolReading } from '../tool';

const PLACE = /^\s*([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f])\s+(\S.*)/i;
/** `129/750 W`, `3056/8192 MB`: used and total; only the first if there is no limit. */
const OF = /^(\d[\d.]{0,15})(?:\/(\d[\d.]{0,15}))? ([A-Za-z]{1,3})$/;

interface Begun {
  readonly pciBusId: string;
  readonly name: string;
  /** Memory utilization, temperature, errors, power. */
  readonly measured: readonly string[];
}

export const isTable = (text: string): boolean => /^\|\s*BDF\s+GPU-Name\s*\|/m.test(text);

/** The table that amd-smi prints without options since ROCm 6.4: two lines per GPU. Its "MB" are MiB. */
export function readTable(text: string, receivedMs: number): ToolReading {
  const all: Shown[] = [];
  let begun: Begun | null = null;
  for (const line of text.split(/\r?\n/)) {
    const [, left = '', right] = line.split('|');
    const before: Begun | null = begun;
    begun = right === undefined ? null : parseStart(left, right);
    const index = countOf(cellsOf(left)[0]);
    if (before !== null && right !== undefined && index !== null) {
      all.push(shownOf(before, index, cellsOf(left)[3], cellsOf(right), receivedMs));
    }
  }
  const [, toolVersion] = /AMD-SMI (\d\S{0,60})/.exec(text) ?? [];
  const [, rocmVersion] = /ROCm version: (\d\S{0,60})/.exec(text) ?? [];
  return readingOf(all, {
    processes: text.split(/\r?\n/).flatMap(processIn),
    ...(toolVersion && { toolVersion }),
    ...(rocmVersion && { rocmVersion }),
    driverVersion: /amdgpu version: (\d\S{0,60})/.exec(text)?.[1] ?? null,
  });
}

const PROCESS =
  /^\s*\|\s{1,20}(\d{1,4})\s{1,20}(\d{1,10})\s{1,4}(\S.{0,40}?)\s{2,40}(\d\S{0,12} \w{1,2}|N\/A)\s{1,20}(\d\S{0,12} \w{1,2}|N\/A)\s{1,20}\S/;

/** A row of the second table: `0  213952  python3.12  7.9 MB  19.6 GB  20.1 GB  N/A`, of which the second is VRAM. */
function processIn(line: string): readonly GpuProcess[] {
  const [, gpu, pid, name, , vram = ''] = PROCESS.exec(line) ?? [];
  if (gpu === undefined || pid === undefined) return [];
  return [
    unknownProcess({
      pid: Number(pid),
      name: wordsOf(name),
      memoryUsedMiB: amountOf(vram, 'MiB'),
      gpuIndex: Number(gpu),
    }),
  ];
}

function parseStart(left: string, right: string): Begun | null {
  const [, pciBusId, name] = PLACE.exec(left) ?? [];
  return pciBusId === undefined || name === undefined
    ? null
    : { pciBusId, name: name.trimEnd(), measured: cellsOf(right) };
}

function shownOf(
  { pciBusId, name, measured }: Begun,
  index: number,
  partition: string | undefined,
  [load, fan, memory = '']: readonly string[],
  receivedMs: number,
): Shown {
  const [memoryLoad, temperature, , power = ''] = measured;
  const [, draw, limit, watts = ''] = OF.exec(power) ?? [];
  const [, used, total = '', unit = ''] = OF.exec(memory) ?? [];
  const memoryTotalMiB = amountOf(`${total} ${unit}`, 'MiB');
  const device = unknownDevice({
    key: pciBusId,
    vendor: 'amd',
    index,
    pciBusId,
    name: wordsOf(name),
    memoryTotalMiB,
    memoryKind: memoryTotalMiB === null ? 'unknown' : 'dedicated',
    computePartition: wordsOf(partition?.split('/')[0]),
  });
  const texts = {
    utilPct: [load],
    memBusyPct: [memoryLoad],
    tempC: [temperature],
    powerW: [draw === undefined ? power : `${draw} ${watts}`],
    powerLimitW: [limit],
    fanPct: [fan],
    memoryUsedMiB: [used === undefined ? memory : `${used} ${unit}`],
  };
  return shown(device, texts, receivedMs);
}

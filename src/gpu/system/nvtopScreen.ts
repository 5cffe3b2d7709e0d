import { unknownDevice } from '../device';
import { amountOf, wordsOf } from '../parse/amount';
import { readingOf, shown } from '../parse/reading';
import type { Shown } from '../parse/reading';
import { unknownProcess } from '../sample';
import type { GpuProcess } from '../sample';
import type { ToolReading } from '../tool';
import { vendorOf } from './vendor';

const HEAD = /\bDevice (\d{1,3}) \[([^\]\n]{1,80})\]/g;
const NUMBER = String.raw`(\d{1,6}(?:\.\d{1,3})?)`;
/** Values behind their names, with their units. */
const VALUES = {
  clockSmMHz: [new RegExp(`\\bGPU ${NUMBER} ?MHz`)],
  clockMemMHz: [new RegExp(`\\bMEM ${NUMBER} ?MHz`)],
  tempC: [new RegExp(`\\bTEMP {1,4}${NUMBER} ?°?C`)],
  fanPct: [new RegExp(`\\bFAN {1,4}${NUMBER} ?%`)],
  powerW: [new RegExp(`\\bPOW {1,4}${NUMBER}(?: ?W)? ?(?:/|W)`)],
  powerLimitW: [new RegExp(`\\bPOW {1,4}\\S{1,8} ?/ {0,4}${NUMBER} ?W`)],
  utilPct: [new RegExp(`\\bGPU\\[[| ]{0,200}${NUMBER}%\\]`)],
} as const;
const MEMORY = /\bMEM\[[| ]{0,200}(\d[\d.]{0,8})([KMG]i?B?)?\/(\d[\d.]{0,8}[KMG]i?B?)\]/;
/** PID, user, GPU, type, utilization, memory. */
const PROCESS =
  /^[│| ]{0,6}(\d{1,10}) {1,8}\S{1,20} {1,8}(\d{1,3}) {1,8}(Compute|Graphic|Both\S{0,6}) {1,10}(?:\d{1,3}%|N\/A) {1,10}(\d{1,9}MiB|N\/A) {1,10}(?:\d{1,3}% {1,10})?(?:\d{1,6}% {1,10}\d{1,9}MiB {1,4})?(\S[^│|\n]{0,200})/;
const TYPES: Readonly<Record<string, GpuProcess['type']>> = { Compute: 'C', Graphic: 'G' };

/** The screen of nvtop, as people copy it from a terminal. */
export function readNvtopScreen(text: string, receivedMs: number): ToolReading {
  const heads = [...text.matchAll(HEAD)];
  const gpus = heads.map((head, at) =>
    shownOf(head, text.slice(head.index, heads[at + 1]?.index), receivedMs),
  );
  const processes =
    heads.length === 0 ? [] : text.split(/\r?\n/).flatMap(line => processIn(line.slice(0, 400)));
  return readingOf(gpus, { processes });
}

function shownOf([, index = '0', words = '']: RegExpExecArray, part: string, receivedMs: number): Shown {
  const name = wordsOf(words);
  const vendor = vendorOf(words);
  const [, used = '', unit, total = ''] = MEMORY.exec(part) ?? [];
  const device = unknownDevice({
    key: `${vendor}:${index}`,
    vendor,
    index: Number(index),
    name,
    memoryTotalMiB: amountOf(`${total}${total.endsWith('B') ? '' : 'B'}`, 'MiB'),
  });
  const texts = Object.fromEntries(
    Object.entries(VALUES).map(([measure, [pattern]]) => [measure, [pattern.exec(part)?.[1]]]),
  );
  const memory =
    used === '' ? undefined : `${used}${(unit ?? total.replace(/[\d.]/g, '')).replace(/B?$/, 'B')}`;
  return shown(device, { ...texts, memoryUsedMiB: [memory] }, receivedMs);
}

function processIn(line: string): readonly GpuProcess[] {
  const [, pid, gpuIndex, type = '', memory = '', name] = PROCESS.exec(line) ?? [];
  if (pid === undefined) return [];
  return [
    unknownProcess({
      pid: Number(pid),
      name: wordsOf(name),
      memoryUsedMiB: amountOf(memory, 'MiB'),
      type: TYPES[type] ?? 'C+G',
      gpuIndex: Number(gpuIndex),
    }),
  ];
}

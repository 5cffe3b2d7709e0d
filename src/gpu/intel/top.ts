import { unknownDevice } from '../device';
import type { GpuDevice } from '../device';
import { amountOf, countOf, wordsOf } from '../parse/amount';
import { isObject, leafText, valueAt } from '../parse/json';
import type { Json } from '../parse/json';
import { rowBy } from '../parse/text';
import { readingOf, shown } from '../parse/reading';
import { unknownProcess } from '../sample';
import type { EngineLoad, GpuProcess } from '../sample';
import type { ToolReading } from '../tool';

/** intel_gpu_top shows one device and does not say which. */
const DEVICE: GpuDevice = unknownDevice({ key: 'intel:0', vendor: 'intel', index: 0, memoryKind: 'unified' });

/** One tick of `intel_gpu_top -J`. The GPU's utilization is that of its busiest engine. */
export function readTop(value: Json, receivedMs: number): ToolReading {
  const engines = valueAt(value, 'engines');
  if (!isObject(engines)) return readingOf([]);
  const loads = Object.entries(engines).flatMap(([name, engine]) => {
    const busyPct = amountOf(leafText(valueAt(engine, 'busy')) ?? '', 'Pct');
    return busyPct === null ? [] : [{ name, busyPct }];
  });
  const one = shown(
    DEVICE,
    {
      // Unknown if any engine lacks a number, because it may be the busiest.
      utilPct: loads.length === Object.keys(engines).length ? busiest(loads) : [],
      powerW: [leafText(valueAt(value, 'power', 'GPU')) ?? leafText(valueAt(value, 'power', 'gpu'))],
      clockSmMHz: [leafText(valueAt(value, 'frequency', 'actual'))],
    },
    receivedMs,
    { engines: loads },
  );
  return readingOf([one], { processes: clientsIn(value) });
}

function busiest(loads: readonly EngineLoad[]): readonly string[] {
  return loads.length === 0 ? [] : [String(Math.max(...loads.map(({ busyPct }) => busyPct)))];
}

function clientsIn(value: Json): readonly GpuProcess[] {
  const clients = valueAt(value, 'clients');
  if (!isObject(clients)) return [];
  return Object.values(clients).flatMap(one => {
    const pid = countOf(leafText(valueAt(one, 'pid')));
    if (pid === null) return [];
    return [unknownProcess({ pid, name: wordsOf(leafText(valueAt(one, 'name'))), gpuIndex: 0 })];
  });
}

/**
 * Columns before those of the engines, which have three each; without a header, only their number tells which are
 * present.
 */
const FRONTS = {
  plain: ['req', 'act', '/s', '%'],
  power: ['req', 'act', '/s', '%', 'gpu', 'pkg'],
  all: ['req', 'act', '/s', '%', 'gpu', 'pkg', 'rd', 'wr'],
} as const;
const A_GROUP = 3;
/** A share has two decimals, the waits next to it have none, so a truncated row is detected. */
const SHARE = /^\d+\.\d\d$/;
const COUNT = /^\d+$/;

/** Output of `intel_gpu_top -l`, with or without its two header lines. */
export function readTopText(text: string, receivedMs: number): ToolReading {
  let front: readonly string[] | null = null;
  const rows = text.split(/\r?\n/).flatMap(line => {
    const cells = line.trim().split(/\s+/);
    if (cells[0] === 'req') {
      front = cells.slice(0, Math.max(0, cells.indexOf('%', cells.indexOf('%') + 1)));
      return [];
    }
    if (!/^[\d.]+$/.test(cells[0] ?? '') || cells.some(cell => !/^[\d.]+$/.test(cell))) return [];
    return rowOf(cells, front ?? frontOf(cells.length), receivedMs);
  });
  return readingOf(rows);
}

function frontOf(cells: number): readonly string[] {
  const rest = cells % A_GROUP;
  return rest === 1 ? FRONTS.plain : rest === 2 ? FRONTS.all : FRONTS.power;
}

function rowOf(cells: readonly string[], front: readonly string[], receivedMs: number) {
  const engines = cells.slice(front.length);
  const isWhole = engines.every((cell, at) => (at % A_GROUP === 0 ? SHARE : COUNT).test(cell));
  if (
    front.length < FRONTS.plain.length ||
    engines.length < A_GROUP ||
    engines.length % A_GROUP !== 0 ||
    !isWhole
  ) {
    return [];
  }
  const loads = engines.flatMap((cell, at) => {
    const busyPct = at % A_GROUP === 0 ? amountOf(cell, 'Pct') : null;
    return busyPct === null ? [] : [{ name: `engine ${at / A_GROUP}`, busyPct }];
  });
  const cell = (name: string): readonly string[] => {
    const at = front.indexOf(name);
    return at < 0 ? [] : [cells[at] ?? ''];
  };
  const texts = { utilPct: busiest(loads), powerW: cell('gpu'), clockSmMHz: cell('act') };
  return [shown(DEVICE, texts, receivedMs, { engines: loads })];
}

/** Output of `intel_gpu_top -c`: CSV with the group in each column's name. */
export function readTopCsv(text: string, receivedMs: number): ToolReading {
  let names: readonly string[] = [];
  const rows = text.split(/\r?\n/).flatMap(line => {
    const cells = line.split(',').map(cell => cell.trim());
    if (cells[0] === 'Freq MHz req') names = cells;
    const row = rowBy(names, cells);
    const loads = [...(row ?? [])].flatMap(([name, cell]) => {
      const busyPct = /^[A-Z]\w*(?:\/\d+)? %$/.test(name) && name !== 'RC6 %' ? amountOf(cell, 'Pct') : null;
      return busyPct === null ? [] : [{ name: name.slice(0, -2), busyPct }];
    });
    if (row === null || loads.length === 0) return [];
    const texts = {
      utilPct: busiest(loads),
      powerW: [row.get('Power W gpu')],
      clockSmMHz: [row.get('Freq MHz act')],
    };
    return [shown(DEVICE, texts, receivedMs, { engines: loads })];
  });
  return readingOf(rows);
}

const ENGINE = /^\s*([A-Z][\w/[\]]{1,30}(?: [A-Z]\w{1,20})?)\s{1,40}(\d{1,3}\.\d\d)%(?: \||\s*$)/;
const CLIENT =
  /^\s*(\d{1,10})\s{1,20}(?:(\d[\d.]{0,12}[KMG]?)\s{1,20}\d[\d.]{0,12}[KMG]?\s{1,20})?(?:(\S.{0,40}?)\s{1,40})?\|/;

/** The screen of `intel_gpu_top`, as people paste it. The clock is the actual before the requested, the power the GPU's before the package's. */
export function readTopScreen(text: string, receivedMs: number): ToolReading {
  const lines = text.split(/\r?\n/);
  const loads = lines.flatMap(line => {
    const [, name, cell = ''] = ENGINE.exec(line) ?? [];
    const busyPct = amountOf(cell, 'Pct');
    return name === undefined || busyPct === null ? [] : [{ name, busyPct }];
  });
  const clock = /(?:^|\s)(\d{1,5})\/\s{0,6}\d{1,5} MHz/.exec(text)?.[1];
  if (loads.length === 0 && clock === undefined) return readingOf([]);
  const name = wordsOf(/^\s{0,4}intel-gpu-top: (\S.{0,60}?) @ /m.exec(text)?.[1]);
  const device = { ...DEVICE, name };
  const texts = {
    // Each GPU has an engine for rendering: without its line, the busiest may be missing.
    utilPct: loads.some(({ name }) => name.startsWith('Render')) ? busiest(loads) : [],
    powerW: [/(?:^|\s)(\d{1,4}\.\d\d)(?:\/\s{0,6}\d{1,4}\.\d\d)? W(?:atts)?\b/.exec(text)?.[1]],
    clockSmMHz: [clock],
  };
  return readingOf([shown(device, texts, receivedMs, { engines: loads })], {
    processes: lines.flatMap(screenClient),
  });
}

/** `4321 12M 9M |█ || |  firefox`: the name is last where memory is shown, else after the pid. */
function screenClient(line: string): readonly GpuProcess[] {
  const [, pid, memory, name] = CLIENT.exec(line) ?? [];
  if (pid === undefined) return [];
  const named = name ?? line.slice(line.lastIndexOf('|') + 1);
  const memoryUsedMiB = amountOf(memory ?? '', 'MiB', 'B');
  return [unknownProcess({ pid: Number(pid), name: wordsOf(named), memoryUsedMiB, gpuIndex: 0 })];
}

/** `card0  Intel Alderlake_p (Gen12)  pci:vendor=8086,device=46A6,card=0`, one a line, of `intel_gpu_top -L`. */
export function readTopList(text: string, receivedMs: number): ToolReading {
  const found = text.matchAll(/^card(\d{1,3})\s{1,40}(\S.{0,60}?)\s{1,60}pci:\S/gm);
  return readingOf(
    [...found].map(([, index, name]) =>
      shown(
        {
          ...DEVICE,
          key: `intel:${index ?? ''}`,
          index: Number(index),
          name: wordsOf(name),
          memoryKind: 'unknown',
        },
        {},
        receivedMs,
      ),
    ),
  );
}

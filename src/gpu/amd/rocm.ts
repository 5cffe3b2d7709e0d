import { unknownDevice } from '../device';
import type { GpuDevice } from '../device';
import { amountOf, countOf, wordsOf } from '../parse/amount';
import { csvCells } from '../parse/text';
import { isObject, leafText } from '../parse/json';
import type { Json, JsonObject } from '../parse/json';
import { readingOf, shown } from '../parse/reading';
import type { MeasureTexts, Shown } from '../parse/reading';
import { MEASURES, unknownProcess } from '../sample';
import type { GpuProcess, Measure } from '../sample';
import type { ToolReading } from '../tool';
import { nameOf } from './smiJson';

/** How each measure's key starts (case and ending changed between releases), best first. */
const KEYS: Readonly<Partial<Record<Measure, readonly RegExp[]>>> = {
  utilPct: [/^gpu use \(%\)/],
  memBusyPct: [/^gpu memory read\/write activity/, /^memory activity/],
  memoryUsedMiB: [/^vram total used memory \(b\)/],
  memoryUsedPct: [/^gpu memory allocated \(vram%\)/, /^gpu memory use \(%\)/],
  tempC: [/^temperature \(sensor edge\)/, /^temperature \(sensor junction\)/, /^temperature$/],
  tempHotspotC: [/^temperature \(sensor junction\)/],
  tempMemC: [/^temperature \(sensor mem(?:ory)?\)/],
  powerW: [
    /^current socket graphics package power/,
    /^average graphics package power/,
    /^instantaneous graphics package power/,
    /^graphics package power/,
  ],
  powerLimitW: [/^max graphics package power/],
  fanPct: [/^fan speed \(%\)/],
  fanRpm: [/^fan rpm/],
  clockSmMHz: [/^sclk clock speed/],
  clockMemMHz: [/^mclk clock speed/],
};

type Card = ReadonlyMap<string, string>;

/** rocm-smi's JSON: `card0` … next to `system`. Every value is a string. */
export function readRocmJson(values: readonly Json[], receivedMs: number): ToolReading {
  const all = values.filter(isObject).flatMap(value => Object.entries(value));
  const system = all.find(([key]) => key.toLowerCase() === 'system')?.[1];
  const facts = isObject(system) ? lowerCase(system) : new Map<string, string>();
  const driverVersion = wordsOf(facts.get('driver version'));
  const cards = all.flatMap(([key, value]) => {
    const index = countOf(/^card(\d+)$/i.exec(key)?.[1]);
    return index === null || !isObject(value) ? [] : [{ index, card: lowerCase(value) }];
  });
  return readingOf(
    cards.map(({ index, card }) => shownIn(card, index, driverVersion, receivedMs)),
    { driverVersion, processes: [...facts].flatMap(([key, text]) => processIn(key, text)) },
  );
}

const lowerCase = (object: JsonObject): Card =>
  new Map(Object.entries(object).map(([key, value]) => [key.toLowerCase(), leafText(value) ?? '']));

/** Output of `--csv`: the keys are columns. */
export function readRocmCsv(text: string, receivedMs: number): ToolReading | null {
  const lines = text.split(/\r?\n/);
  const at = lines.findIndex(line => /^device,/i.test(line));
  const names = csvCells(lines[at] ?? '').map(name => name.toLowerCase());
  if (at < 0) return null;
  // With `--showallinfo`, facts of the system precede the cards: `"Driver version", "6.3.6"`.
  const driverVersion = wordsOf(/^"Driver version", ?"([^"\n]{1,80})"/im.exec(text)?.[1]);
  const cards = lines.slice(at + 1).flatMap(line => {
    const cells = csvCells(line);
    const index = countOf(/^card(\d+)$/i.exec(cells[0] ?? '')?.[1]);
    if (index === null || cells.length !== names.length) return [];
    return [{ index, card: new Map(names.map((name, column) => [name, cells[column] ?? ''])) }];
  });
  return readingOf(
    cards.map(({ index, card }) => shownIn(card, index, driverVersion, receivedMs)),
    { driverVersion },
  );
}

const CLOCK_LEVEL = /^(\w{1,16}) clock level$/;

/**
 * Output without `--json` and `--csv`: `GPU[0] : key: value`, with the same keys. For a clock and a fan, the level
 * precedes the value: `2 (2100Mhz)`, `124 (48.63)%`.
 */
export function readRocmText(text: string, receivedMs: number): ToolReading {
  const cards = new Map<number, Map<string, string>>();
  let driverVersion: string | null = null;
  for (const line of text.split(/\r?\n/)) {
    driverVersion ??= wordsOf(/^Driver version: (\S{1,80})\s*$/.exec(line)?.[1]);
    const [, index, rest = ''] = /^GPU\[(\d{1,4})\]\s{0,20}: (.*)$/.exec(line) ?? [];
    if (index === undefined) continue;
    const card = cards.get(Number(index)) ?? new Map<string, string>();
    cards.set(Number(index), card);
    addFact(card, rest);
  }
  const all = [...cards].map(([index, card]) => shownIn(card, index, driverVersion, receivedMs));
  return readingOf(all, { driverVersion });
}

function addFact(card: Map<string, string>, fact: string): void {
  const colon = fact.indexOf(':');
  if (colon < 0) return;
  const key = fact.slice(0, colon).trim().toLowerCase();
  const value = fact.slice(colon + 1).trim();
  const inside = /\(([^()]{1,40})\)/.exec(value)?.[1]?.replace(/%$/, '') ?? '';
  const clock = CLOCK_LEVEL.exec(key)?.[1];
  if (clock !== undefined) card.set(`${clock} clock speed`, inside);
  else if (key === 'fan level') card.set('fan speed (%)', inside);
  else if (!card.has(key)) card.set(key, value);
}

function shownIn(card: Card, index: number, driverVersion: string | null, receivedMs: number): Shown {
  const texts: MeasureTexts = Object.fromEntries(
    MEASURES.map(measure => [measure, (KEYS[measure] ?? []).flatMap(key => valueOf(card, key, measure))]),
  );
  return shown(deviceOf(card, index, driverVersion), texts, receivedMs);
}

/** A value by the start of its key; memory is in bytes, clocks are in parentheses. */
function valueOf(card: Card, key: RegExp, measure?: Measure): readonly string[] {
  const found = [...card].find(([name]) => key.test(name))?.[1];
  if (found === undefined) return [];
  if (measure?.endsWith('MiB') && /^\d+$/.test(found.trim())) return [`${found.trim()} B`];
  return [/^\((.*)\)$/.exec(found.trim())?.[1] ?? found];
}

function deviceOf(card: Card, index: number, driverVersion: string | null): GpuDevice {
  const words = (key: RegExp): string | null => wordsOf(valueOf(card, key)[0]);
  const uuid = words(/^unique id/);
  const pciBusId = words(/^pci bus/);
  const node = words(/^node id/);
  const total = amountOf(valueOf(card, /^vram total memory \(b\)/)[0] ?? '', 'MiB', 'B');
  const partition = words(/^compute partition/);
  const isSlice = partition !== null && partition !== 'SPX';
  const place = isSlice && pciBusId !== null ? `${pciBusId}/${node ?? ''}/${index}` : pciBusId;
  return unknownDevice({
    key: (isSlice ? null : uuid) ?? place ?? `amd:${index}`,
    vendor: 'amd',
    index,
    uuid,
    pciBusId,
    name: nameOf(words(/^card series/)) ?? nameOf(words(/^device name/)),
    memoryTotalMiB: total,
    memoryKind: total === null ? 'unknown' : 'dedicated',
    driverVersion,
    computePartition: partition,
  });
}

/** `PID1234`: `name, GPUs, bytes of VRAM, bytes of SDMA, compute units`. The name may contain commas. */
function processIn(key: string, text: string): readonly GpuProcess[] {
  const pid = countOf(/^pid(\d+)$/.exec(key)?.[1]);
  if (pid === null) return [];
  const cells = text.split(',').map(cell => cell.trim());
  const [gpus, bytes] = cells.slice(-4);
  return [
    unknownProcess({
      pid,
      type: 'C',
      name: cells.length >= 5 ? wordsOf(cells.slice(0, -4).join(', ')) : null,
      memoryUsedMiB: cells.length >= 5 ? amountOf(bytes ?? '', 'MiB', 'B') : null,
      gpuCount: countOf(gpus),
    }),
  ];
}

const KFD =
  /^([1-9]\d{0,9})[ \t]{1,20}(\S.{0,60}?)[ \t]{1,40}(\d+|UNKNOWN)[ \t]{1,20}(\d+|UNKNOWN)[ \t]{1,20}(?:\d+|UNKNOWN)[ \t]{1,20}(?:\d+|UNKNOWN)$/;

/** Output of `--showpids` as a table: memory in bytes. */
export function readPids(text: string): readonly GpuProcess[] {
  return text.split(/\r?\n/).flatMap(line => {
    const [, pid, name, gpus, bytes = ''] = KFD.exec(line.trimEnd()) ?? [];
    // Rows of numbers alone are of another tool.
    if (pid === undefined || !/[a-z]/i.test(name ?? '')) return [];
    const memoryUsedMiB = amountOf(bytes, 'MiB', 'B');
    const known = { name: wordsOf(name), memoryUsedMiB, gpuCount: countOf(gpus) };
    return [unknownProcess({ pid: Number(pid), type: 'C', ...known })];
  });
}

/** Output of `--showpidgpus`: one line per process, its GPUs in the next. */
export function readPidGpus(text: string): readonly GpuProcess[] {
  const found = text.matchAll(/^PID (\d+) is using (\d+) DRM device\(s\):?[ \t]*\r?\n((?:\d+[ \t]*)*)$/gm);
  return [...found].flatMap(([, pid, count, list]) => {
    const indices = (list ?? '').split(/\s+/).filter(Boolean).map(Number);
    if (indices.length !== Number(count)) return [];
    const gpuIndex = indices.length === 1 ? (indices[0] ?? null) : null;
    const gpus = { gpuIndex, gpuIndices: indices, gpuCount: indices.length };
    return [unknownProcess({ pid: Number(pid), type: 'C', ...gpus })];
  });
}

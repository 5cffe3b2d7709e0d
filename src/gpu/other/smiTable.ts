import { drawnInAscii } from '../../core/text/frame';
import { unknownDevice } from '../device';
import type { GpuDevice } from '../device';
import { amountOf, countOf, wordsOf } from '../parse/amount';
import { readingOf, shown } from '../parse/reading';
import type { MeasureTexts, Shown } from '../parse/reading';
import { processTypeOf, unknownProcess } from '../sample';
import type { GpuProcess, Measure } from '../sample';
import type { ToolReading } from '../tool';
import { boxesIn, byHeader } from './boxes';
import type { Box, BoxLines } from './boxes';

/** What the words of a header mean; a unit in parentheses may follow them. */
const NAME = /^(?:product )?name$/i;
const INDEX = /^(?:gpu|npu|aip|hpu|mlu|dcu|card|(?:neuron )?device|id|index|idx)$/i;
const CHIP = /^chip$/i;
/** The number of a chip on the whole machine: cards may have several. */
const WHOLE_INDEX = /^phy-id$/i;
const BUS = /^(?:bus-?id|pcie|bdf|pci bdf|pci address)$/i;
const PID = /^(?:pid|process id)$/i;
const MEASURES: readonly (readonly [RegExp, Measure])[] = [
  [/^temp/i, 'tempC'],
  [/^fan/i, 'fanPct'],
  [/^(?:%gpu$|(?:gpu|aip|hpu|npu|mlu|dcu|core)-?util|util$|util\w*\(%\)|aicore)/i, 'utilPct'],
  [/^clock-?sm/i, 'clockSmMHz'],
  [/^clock-?mem/i, 'clockMemMHz'],
];
const POWER = /^(?:pwr|power)\b/i;
/** Chips with memory of their own on the package use that of the board for nothing. */
const MEMORIES = [/^hbm-?usage/i, /^(?:memory-?usage|vram|mem$)/i];
/** All of it, where a tool does not say how much is used. */
const TOTAL = /^neuron memory$/i;
const PERF = /^perf$/i;
const PCI = /^(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]$/i;

const has = (words: readonly string[], ...all: readonly RegExp[]): boolean =>
  all.every(one => words.some(word => one.test(word)));
const isOfDevices = (words: readonly string[]): boolean =>
  has(words, INDEX, TOTAL) ||
  (has(words, NAME, INDEX) && !has(words, PID) && [...MEMORIES, POWER].some(one => has(words, one)));
const isOfProcesses = (words: readonly string[]): boolean => has(words, PID, INDEX);

/** nvidia-smi's own tables have a reader that knows more of them. */
const NVIDIA = /NVIDIA-SMI|\|\s*GPU\s+Name\s[^|]{0,30}(?:Persistence-M|TCC|Driver-Model)/;
const DRIVER = /\bDriver(?: Version)?: {0,60}v?(\d[\w.-]{0,40})|\bDriver v(\d[\w.]{0,40})/;

/** Where a copy begins below npu-smi's header, or below its first line. */
const BELOW_HEAD =
  /^\| (?:Chip {1,30}(?:Phy-ID {1,20})?\| Bus-Id {1,20}\| AICore\(%\)|\d{1,3} {1,8}\w{3,16} {1,20}\| (?:OK|Warning|Alarm|Critical|UNKNOWN) {1,12}\| )/m;
const HEAD = [
  '| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|',
  '| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |',
];

const RULE = `+${'='.repeat(27)}+${'='.repeat(15)}+${'='.repeat(52)}+`;

/** The text with the header that its copy lost. */
function withHead(text: string): string {
  if (/\bNPU {1,8}Name\b/.test(text)) return text;
  return text.replace(BELOW_HEAD, below => {
    const lost = below.startsWith('| Chip') ? HEAD.slice(0, 1) : [...HEAD, RULE];
    return [...lost, below].join('\n');
  });
}

/**
 * The tables of the tools that other makers of accelerators print, read by the words and units of their headers:
 * hl-smi, npu-smi, cnmon, ixsmi, mx-smi, mthreads-gmi, neuron-ls. Their "MB" are MiB.
 */
export function readSmiTables(text: string, receivedMs: number): ToolReading {
  const drawn = withHead(drawnInAscii(text));
  if (NVIDIA.test(drawn)) return readingOf([]);
  const boxes = boxesIn(drawn, words => isOfDevices(words) || isOfProcesses(words));
  const [, stated = null, bare = null] = DRIVER.exec(drawn) ?? [];
  const driverVersion = stated ?? bare;
  const found = boxes
    .filter(({ header }) => isOfDevices(header.flat(2)))
    .flatMap(box => box.rows.flatMap(row => rowIn(box, row)));
  const devices = onceEach(found);
  const all = found.map(row => shownOf(row, indexOf(row, devices), driverVersion, receivedMs));
  const processes = boxes
    .filter(({ header }) => isOfProcesses(header.flat(2)))
    .flatMap(box => processesIn(box, devices));
  return readingOf(all, { processes, driverVersion });
}

/** A row of a device: its words by their headers, and which card it names. */
interface Row {
  readonly words: readonly (readonly [string, string])[];
  readonly card: number;
  readonly chip: number | null;
  readonly whole: number | null;
}

const textAt = ({ words }: Pick<Row, 'words'>, name: RegExp): string | undefined =>
  words.find(([header]) => name.test(header.replace(/\([^()]{0,20}\)$/, '')) || name.test(header))?.[1];

function rowIn({ header }: Box, row: BoxLines): readonly Row[] {
  const words = byHeader(header, row);
  const card = countOf(textAt({ words }, INDEX));
  const isNamed = wordsOf(textAt({ words }, NAME) ?? textAt({ words }, TOTAL)) !== null;
  // An address below another name: a line of the header or of the row is missing.
  const isShifted = words.some(([name, text]) => PCI.test(text) && !/bus|pci|bdf|address/i.test(name));
  if (card === null || !isNamed || isShifted) return [];
  return [
    { words, card, chip: countOf(textAt({ words }, CHIP)), whole: countOf(textAt({ words }, WHOLE_INDEX)) },
  ];
}

const busOf = (row: Row): string | undefined => textAt(row, BUS);

/** The devices of rows that were printed several times, which their addresses tell. */
function onceEach(rows: readonly Row[]): readonly Row[] {
  const first = new Map(rows.toReversed().map(row => [busOf(row) ?? row, row]));
  return rows.filter(row => first.get(busOf(row) ?? row) === row);
}

/** The number of a device: of its chip if stated, else of its card, else its place if cards have several chips. */
function indexOf(row: Row, devices: readonly Row[]): number {
  if (row.whole !== null) return row.whole;
  if (devices.filter(one => one.card === row.card).length < 2) return row.card;
  const bus = busOf(row);
  return devices.findIndex(one => one === row || (bus !== undefined && busOf(one) === bus));
}

/** `3416/65536`, `858/65536 MiB`, `66641MiB(81920MiB)`. */
const USED_OF = /^([\d.]{1,12} ?[KMGT]?i?B?) ?[/(] ?([\d.]{1,12} ?[KMGT]?i?B?)\)?$/i;
/** `48W/350W`, `57W`, `N/A/N/A`. */
const POWER_OF = /^(\d[\d.]{0,8} ?W?|N\/?A|-)(?:\/(\d[\d.]{0,8} ?W?|N\/?A|-))?$/i;

interface Memory {
  readonly used: string | undefined;
  readonly totalMiB: number | null;
}

function memoryOf(row: Row): Memory {
  const found = MEMORIES.map(name => {
    const [, used, total = ''] = USED_OF.exec(textAt(row, name) ?? '') ?? [];
    return { used, totalMiB: amountOf(total, 'MiB') };
  });
  const total = amountOf(textAt(row, TOTAL) ?? '', 'MiB');
  return found.find(({ totalMiB }) => (totalMiB ?? 0) > 0) ?? { used: undefined, totalMiB: total };
}

function shownOf(row: Row, index: number, driverVersion: string | null, receivedMs: number): Shown {
  const bus = textAt(row, BUS) ?? '';
  const pciBusId = PCI.test(bus) ? bus : null;
  const { used, totalMiB } = memoryOf(row);
  const device: GpuDevice = unknownDevice({
    key: pciBusId ?? `other:${index}`,
    vendor: 'unknown',
    index,
    pciBusId,
    name: wordsOf(textAt(row, NAME)),
    memoryTotalMiB: totalMiB,
    memoryKind: totalMiB === null ? 'unknown' : 'dedicated',
    driverVersion,
  });
  const [, power, limit] = POWER_OF.exec(textAt(row, POWER) ?? '') ?? [];
  const measured = MEASURES.flatMap(([name, measure]) => {
    const text = textAt(row, name);
    return text === undefined ? [] : [[measure, [text]] as const];
  });
  const texts: MeasureTexts = { ...Object.fromEntries(measured), powerW: [power], powerLimitW: [limit] };
  const pstate = /^P\d{1,2}$/.exec(textAt(row, PERF) ?? '')?.[0] ?? null;
  return shown(device, { ...texts, memoryUsedMiB: [used] }, receivedMs, { pstate });
}

function processesIn({ header, rows }: Box, devices: readonly Row[]): readonly GpuProcess[] {
  // The words of some headers go on in a second line, whose columns are those of the first.
  const own = [header.find(line => has(line.flat(), PID)) ?? []];
  return rows.flatMap(lines =>
    lines.flatMap(line => {
      const words = byHeader(own, [line]);
      const pid = countOf(textAt({ words }, PID));
      if (pid === null) return [];
      const card = countOf(textAt({ words }, INDEX));
      const chip = countOf(textAt({ words }, CHIP));
      const device = devices.find(one => one.card === card && (chip === null || one.chip === chip));
      const memory = textAt({ words }, /^(?:process |gpu |mlu )?(?:memory|usage|hbm)/i) ?? '';
      return unknownProcess({
        pid,
        name: wordsOf(textAt({ words }, /^(?:process name|command line|command|name)$/i)),
        memoryUsedMiB: amountOf(memory, 'MiB'),
        type: processTypeOf(textAt({ words }, /^type$/i)),
        gpuIndex: device === undefined ? card : indexOf(device, devices),
      });
    }),
  );
}

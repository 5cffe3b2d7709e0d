import { unknownDevice } from '../device';
import { amountOf } from '../parse/amount';
import { readingOf, shown } from '../parse/reading';
import type { ToolReading } from '../tool';

/** `NVIDIA Jetson Orin Nano - Jetpack 6.0`, of jtop 4 behind `Model: `. */
const BOARD = /(?:^|\s)(NVIDIA Jetson [^\n[|]{2,80}?)(?: - Jet[Pp]ack| \[|\s{2}|$)/m;
/** The bars of jtop's screen, whose filling may be blank. */
const BAR = String.raw`\s{0,4}\[[^\]\n]{0,200}?`;
const MEMORY = new RegExp(String.raw`\bMem${BAR}(\d[\d.]{0,8}[kMG]?)\/(\d[\d.]{0,8})([kMG])B?\]`);
const LOAD = new RegExp(String.raw`\bGPU${BAR}(\d{1,3}(?:\.\d)?)%\](?:\s{0,4}(\d[\d.]{0,6} ?[MG]Hz))?`);
const EMC = new RegExp(String.raw`\bEMC${BAR}(\d{1,3}(?:\.\d)?)%\]`);
const TEMPERATURE = /\bGPU\s{1,12}(\d{1,3}(?:\.\d{1,2})?)C\b/;
/** What jtop saves of a moment: `GPU, 12` and `Temp GPU, 46.0`, or a dictionary of Python. Its other amounts have no unit. */
const SAVED = /\bjetson_clocks\b|\bnvp model\b/;
const savedAt = (name: string): RegExp =>
  new RegExp(`^[\\s{'"]{0,8}${name}['"]?[,:] {0,4}(\\d{1,3}(?:\\.\\d{1,2})?)\\b`, 'm');
const [SAVED_LOAD, SAVED_TEMPERATURE] = [savedAt('GPU'), savedAt('Temp GPU')];

/** The screen of jtop, as people copy it from a terminal, or what it saves. The memory is the whole system's. */
export function readJtop(text: string, receivedMs: number): ToolReading {
  const isSaved = SAVED.test(text);
  const [ofLoad, ofTemperature] = isSaved ? [SAVED_LOAD, SAVED_TEMPERATURE] : [LOAD, TEMPERATURE];
  const [, load, clock] = ofLoad.exec(text) ?? [];
  const [, used = '', total = '', unit = ''] = MEMORY.exec(text) ?? [];
  if (load === undefined || (used === '' && !isSaved)) return readingOf([]);
  const device = unknownDevice({
    key: 'jetson:0',
    vendor: 'nvidia',
    index: 0,
    name: first(BOARD, text) ?? null,
    memoryTotalMiB: amountOf(`${total}${unit}B`, 'MiB'),
    memoryKind: 'unified',
  });
  const texts = {
    utilPct: [load],
    memBusyPct: [first(EMC, text)],
    memoryUsedMiB: [`${used}${/\d$/.test(used) ? unit : ''}B`],
    tempC: [first(ofTemperature, text)],
    clockSmMHz: [clock],
  };
  return readingOf([shown(device, texts, receivedMs)]);
}

const first = (pattern: RegExp, text: string): string | undefined => pattern.exec(text)?.[1];

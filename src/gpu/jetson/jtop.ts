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

/** The screen of jtop, as people copy it from a terminal. The memory is the whole system's. */
export function readJtop(text: string, receivedMs: number): ToolReading {
  const [, load, clock] = LOAD.exec(text) ?? [];
  const [, used = '', total = '', unit = ''] = MEMORY.exec(text) ?? [];
  if (load === undefined || used === '') return readingOf([]);
  const device = unknownDevice({
    key: 'jetson:0',
    vendor: 'nvidia',
    index: 0,
    name: BOARD.exec(text)?.[1] ?? null,
    memoryTotalMiB: amountOf(`${total}${unit}B`, 'MiB'),
    memoryKind: 'unified',
  });
  const texts = {
    utilPct: [load],
    memBusyPct: [EMC.exec(text)?.[1]],
    memoryUsedMiB: [`${used}${/\d$/.test(used) ? unit : ''}B`],
    tempC: [TEMPERATURE.exec(text)?.[1]],
    clockSmMHz: [clock],
  };
  return readingOf([shown(device, texts, receivedMs)]);
}

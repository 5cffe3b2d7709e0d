import { unknownDevice } from '../device';
import { amountOf } from '../parse/amount';
import { readingOf, shown } from '../parse/reading';
import type { EngineLoad, PowerKind } from '../sample';
import type { StreamReader, ToolReading } from '../tool';

/** Rails that feed the GPU, most specific first; Orin's also feeds the CPU. Without a unit they are in mW. */
const RAILS: readonly (readonly [RegExp, PowerKind])[] = [
  [/\b(?:POM_5V_GPU|VDD_SYS_GPU|VDD_GPU) (\d+)(?:mW)?\//, 'instant'],
  [/\bVDD_CPU_GPU_CV (\d+)(?:mW)?\//, 'rail'],
  [/\bVDD_GPU_SOC (\d+)(?:mW)?\//, 'rail'],
  [/(?:^|\s)GPU (\d+)(?:mW)?\/\d+/, 'instant'],
];

/** The module is not named, but its rails and units identify it. */
const MODULES: readonly (readonly [RegExp, string])[] = [
  [/\bPOM_5V_GPU\b/, 'Tegra X1'],
  [/\bMCPU@|\bVDD_SYS_GPU\b/, 'Tegra TX2'],
  // JetPack 4 and 5: Orin has no such zone, but shares the rail's name.
  [/\bAUX@/, 'Xavier'],
  [/\bVDD_CPU_GPU_CV\b|\bVDD_GPU_SOC\b/, 'Orin'],
];

/** Units of the Nano that newer modules lack, for carriers that do not measure power. */
const isNano = (line: string): boolean => /\bPLL@/.test(line) && /\bAO@/.test(line) && !/\bMCPU@/.test(line);

function nameOf(line: string): string | null {
  return MODULES.find(([mark]) => mark.test(line))?.[1] ?? (isNano(line) ? 'Tegra X1' : null);
}

/** One line of tegrastats; empty for any other line. The memory is the whole system's. Of several ticks in a line, the last counts. */
export function readTegra(text: string, receivedMs: number): ToolReading {
  const line = text.slice(Math.max(0, text.lastIndexOf(' RAM ')));
  const [, used, total] = /\bRAM (\d+)\/(\d+)MB\b/.exec(line) ?? [];
  if (used === undefined || total === undefined) return readingOf([]);
  const rail = RAILS.map(([mark, kind]) => ({ text: mark.exec(line)?.[1], kind })).find(({ text }) => text);
  const device = unknownDevice({
    key: 'jetson:0',
    vendor: 'nvidia',
    index: 0,
    name: nameOf(line),
    memoryTotalMiB: amountOf(total, 'MiB'),
    memoryKind: 'unified',
  });
  const util = /\bGR3D(?:_FREQ)? (\d+)%/.exec(line)?.[1];
  const texts = {
    utilPct: [util],
    memBusyPct: [/\bEMC(?:_FREQ)? (\d+)%/.exec(line)?.[1]],
    memoryUsedMiB: [used],
    tempC: [/\bgpu@(-?[\d.]+)C/i.exec(line)?.[1]],
    tempHotspotC: [/\btj@(-?[\d.]+)C/i.exec(line)?.[1]],
    powerW: [rail?.text === undefined ? undefined : `${rail.text} mW`],
    clockSmMHz: [/\bGR3D(?:_FREQ)? (?:\d+%)?@\[?(\d+)(?=[\s,\]]|$)/.exec(line)?.[1]],
  };
  return readingOf([
    shown(device, texts, receivedMs, { powerKind: rail?.kind ?? null, engines: enginesIn(line) }),
  ]);
}

/** Active video engines: `NVDEC 40%@1190`; `off` means none. */
function enginesIn(line: string): readonly EngineLoad[] {
  return [...line.matchAll(/\b(NVENC|NVDEC|NVJPG|VIC)\d* (\d+)%/g)].flatMap(([, name, text]) => {
    const busyPct = amountOf(text ?? '', 'Pct');
    return name === undefined || busyPct === null ? [] : [{ name, busyPct }];
  });
}

/** Each line is a tick. */
export class TegraStream implements StreamReader {
  line(text: string, receivedMs: number): readonly ToolReading[] {
    const reading = readTegra(text, receivedMs);
    return reading.devices.length > 0 ? [reading] : [];
  }
}

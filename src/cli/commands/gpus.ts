import { markdownTable } from 'markdown-table';
import { formatBytes } from '../../core/render/units';
import type { Detection } from '../../gpu/detect';
import type { GpuDevice } from '../../gpu/device';
import { EXIT } from '../exit';
import { detectHere } from '../machine';
import { terminalOutput } from '../output';
import type { OutputOptions } from '../output';

interface GpusOptions extends OutputOptions {
  readonly json?: boolean;
}

/** `headroom gpus`: the GPUs of this machine. What a tool does not say is shown as n/a. */
export async function gpus(options: GpusOptions): Promise<void> {
  const output = terminalOutput(options);
  const detection = await detectHere();
  for (const warning of detection.warnings) output.err(warning);
  if (detection.error) output.err(detection.error.text);
  const { devices, samples } = detection;
  if (options.json) output.out(JSON.stringify({ schema: 'headroom/1', devices, samples }, null, 2));
  else output.out(devices.length === 0 ? 'No GPU was found on this machine.' : table(detection));
  process.exitCode = detection.error ? EXIT.undecided : EXIT.fits;
}

function table({ devices, samples }: Detection): string {
  const rows = devices.map(device => {
    const sample = samples.find(one => one.key === device.key);
    const used = memory(sample?.memoryUsedMiB ?? null);
    return [
      String(device.index),
      device.name ?? 'n/a',
      `${used} of ${memory(device.memoryTotalMiB)}${unified(device)}`,
      withUnit(sample?.utilPct ?? null, '%'),
      withUnit(sample?.tempC ?? null, '°C'),
      withUnit(sample?.powerW ?? null, 'W'),
    ];
  });
  return markdownTable([['GPU', 'name', 'memory', 'busy', 'temperature', 'power'], ...rows]);
}

const memory = (mib: number | null): string => (mib === null ? 'n/a' : formatBytes(mib * 2 ** 20));

const unified = (device: GpuDevice): string =>
  device.memoryKind === 'unified' ? ' (shared with the system)' : '';

const withUnit = (value: number | null, unit: string): string =>
  value === null ? 'n/a' : `${Math.round(value)} ${unit}`;

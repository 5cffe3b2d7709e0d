import { drawnInAscii } from '../../core/text/frame';
import { unknownDevice } from '../device';
import type { GpuDevice, MigInstance } from '../device';
import { amountOf } from '../parse/amount';
import { readingOf, shown } from '../parse/reading';
import type { Shown } from '../parse/reading';
import { processTypeOf, unknownProcess } from '../sample';
import type { GpuProcess } from '../sample';
import type { ToolOutput, ToolReading } from '../tool';
import { integerOf, memoryKindOf, numberOf, textOf } from './values';
import { errorOf, warningOf } from './errors';

const FIRST =
  /^\|\s*(\d+)\.?\s+(\S[^|]{0,60}?)(?:\s(On|Off|WDDM|TCC|MCDM|N\/A))?\s{0,60}\|\s*([0-9A-Fa-f:.]+|N\/A)\s+(?:On|Off|N\/A)\s*\|/;
const SECOND =
  /^\|\s*(\S+)\s+(\S+(?: C)?)\s+(P\d+|N\/A|ERR!|Unknown)\s+(N\/A|[^\s/]+)\s*\/\s*(\S+)\s*\|([^|]*)\|(?:\s*(\S+))?/;
/** The header of a table of the same form, such as hl-smi's. */
const OTHER_MAKER = /^\|\s*(?!GPU\b|Nb\.)[A-Za-z]{2,10}\s+Name\s/;
const RULE = /^[+|][-=+]{4}/;
const MIG_MODE = /^\|\s+\|\s+\|\s*(Enabled|Disabled)\*?\s*\|/;
const MIG = /^\|\s*(\d+)\s+(\d+|N\/A)\s+(\d+|N\/A)\s+(\d+)\s*\|\s*(N\/A|[^\s/]+)\s*\/\s*(\S+)\s*\|/;
/** A row of `nvidia-smi vgpu`, which has one line for each GPU. */
const OF_HOST =
  /^\|\s*(\d+)\s+(\S[^|]{0,60}?)\s*\|\s*([0-9A-Fa-f]{4,8}:[0-9A-Fa-f:.]+)\s*\|\s*(\d+%|N\/A)\s*\|/;
const PROCESS =
  /^\|\s+(\d+)\.?\s+(?:(\d+|N\/A)\s+(\d+|N\/A)\s+)?(\d+)\s+(?:(C\+G|C|G|M\+C)\s+)?([^\s|][^|]*?)\s(\d+Mi?B|N\/A|\[?Insufficient Permissions\]?|Function Not Found)[\s|]{0,99}$/;

/** The table that nvidia-smi prints without options. Names are truncated in it; missing values are null. */
export function readTable(output: ToolOutput, receivedMs: number): ToolReading {
  // Old monitors draw this table with lines of their own.
  const text = output.stdout.includes('NVIDIA-SMI') ? drawnInAscii(output.stdout) : output.stdout;
  const lines = text.split(/\r?\n/).map(line => line.trimStart());
  const reader = new TableReader(receivedMs, !lines.some(line => FIRST.test(line) || RULE.test(line)));
  if (!lines.some(line => OTHER_MAKER.test(line))) for (const line of [...lines, '']) reader.line(line);
  const { gpus, processes } = reader;
  const hasPanel = lines.some(line => /^\|\s*(?:Compute processes|Processes):/.test(line));
  const isEmpty = lines.some(line => line.includes('No running'));
  const isUnknown = lines.some(line => /^\|\s*\d+\s+Not Supported\s*\|/.test(line));
  return readingOf(gpus, {
    processes,
    error: errorOf(output, gpus.length + processes.length > 0 || hasPanel),
    warnings: lines.flatMap(line => warningOf(line) ?? []),
    driverVersion: version(output.stdout, 'KMD Version') ?? version(output.stdout, 'Driver Version'),
    cudaVersion: version(output.stdout, 'CUDA UMD Version') ?? version(output.stdout, 'CUDA Version'),
    ...(hasPanel && processes.length === 0 && !isUnknown ? { processesHidden: !isEmpty } : {}),
  });
}

const version = (text: string, label: string): string | null =>
  new RegExp(`${label}: *(\\d[\\w.]*)`).exec(text)?.[1] ?? null;

class TableReader {
  readonly gpus: Shown[] = [];
  readonly processes: GpuProcess[] = [];
  private device: GpuDevice | null = null;

  /** `areAlone`: a filter left only the second lines of GPUs, all of them. */
  constructor(
    private readonly receivedMs: number,
    private readonly areAlone: boolean,
  ) {}

  line(line: string): void {
    const process = PROCESS.exec(line);
    const first = FIRST.exec(line);
    const second = SECOND.exec(line);
    const mig = MIG.exec(line);
    const ofHost = OF_HOST.exec(line);
    if (this.device && !second) this.add(this.device, null);
    if (process) this.processes.push(processOf(process));
    else if (first) {
      const [, index, name, mode, address] = first;
      this.begin(deviceOf({ index, name, mode, address }));
    } else if (mig) this.addInstance(mig);
    else if (ofHost) this.addOfHost(ofHost);
    else if (second && (this.device || this.areAlone)) {
      this.add(this.device ?? deviceAt(this.gpus.length), second);
    } else this.setMode(MIG_MODE.exec(line)?.[1]);
  }

  /** The second line directly follows the first: a later one belongs to another GPU. */
  private add(device: GpuDevice, second: RegExpExecArray | null): void {
    this.gpus.push(second ? gpuOf(device, second, this.receivedMs) : shown(device, {}, this.receivedMs));
    this.device = null;
  }

  /** A device that comes again begins a later table: people paste several in one text. */
  private begin(device: GpuDevice): void {
    this.device = device;
    if (!this.gpus.some(one => one.device.key === device.key)) return;
    this.gpus.length = 0;
    this.processes.length = 0;
  }

  /** A table that has more may have shown the same GPU above. */
  private addOfHost([, index, name, address, util]: RegExpExecArray): void {
    const device = deviceOf({ index, name, address });
    const known = this.gpus.some(one => one.device.key === device.key);
    if (!known) this.gpus.push(shown(device, { utilPct: [util] }, this.receivedMs));
  }

  private setMode(mode: string | undefined): void {
    if (mode === undefined) return;
    this.change(this.gpus.length - 1, device => ({
      ...device,
      mig: { enabled: mode === 'Enabled', instances: [] },
    }));
  }

  private addInstance([, gpu, gi, ci, index, used, total]: RegExpExecArray): void {
    const instance: MigInstance = {
      index: Number(index),
      uuid: null,
      profile: null,
      gpuInstanceId: integerOf(gi ?? ''),
      computeInstanceId: integerOf(ci ?? ''),
      memoryTotalMiB: numberOf(total ?? ''),
      memoryUsedMiB: numberOf(used ?? ''),
    };
    const at = this.placeOf(Number(gpu));
    this.change(at, device => ({
      ...device,
      mig: { enabled: true, instances: [...(device.mig?.instances ?? []), instance] },
    }));
  }

  /** The place of a GPU; one whose own rows were left out only has instances. */
  private placeOf(index: number): number {
    const at = this.gpus.findIndex(({ device }) => device.index === index);
    if (at >= 0) return at;
    return this.gpus.push(shown(deviceAt(index), {}, this.receivedMs)) - 1;
  }

  private change(at: number, make: (device: GpuDevice) => GpuDevice): void {
    const gpu = this.gpus[at];
    if (gpu) this.gpus[at] = { ...gpu, device: make(gpu.device) };
  }
}

const deviceAt = (index: number): GpuDevice =>
  unknownDevice({ key: `nvidia:${index}`, vendor: 'nvidia', index });

interface Named {
  readonly index: string | undefined;
  readonly name: string | undefined;
  readonly mode?: string | undefined;
  readonly address: string | undefined;
}

function deviceOf({ index, name, mode, address = '' }: Named): GpuDevice {
  const pciBusId = textOf(address);
  const isModel = mode === 'WDDM' || mode === 'TCC' || mode === 'MCDM';
  return unknownDevice({
    key: pciBusId ?? `nvidia:${index ?? ''}`,
    vendor: 'nvidia',
    index: Number(index),
    pciBusId,
    name: textOf(name ?? ''),
    driverModel: isModel ? mode : null,
    persistenceMode: mode === 'On' ? true : mode === 'Off' ? false : null,
  });
}

function gpuOf(device: GpuDevice, row: RegExpExecArray, receivedMs: number): Shown {
  const [, fan, temp, pstate = '', power, limit, memory = '', util] = row;
  // Up to driver 319 a share precedes the amounts: `1%   69MB / 5375MB`.
  const [used, total] = memory.split('/').map(text => text.replace(/^\s*\d+%/, '').trim());
  const memoryTotalMiB = amountOf(total ?? '', 'MiB');
  const texts = {
    fanPct: [fan],
    tempC: [temp],
    powerW: [power],
    powerLimitW: [limit],
    memoryUsedMiB: [used],
    utilPct: [util],
  };
  const kind = memoryKindOf(device.name, memoryTotalMiB);
  const known = { ...device, memoryTotalMiB, memoryKind: kind };
  return shown(known, texts, receivedMs, { pstate: /^P\d/.test(pstate) ? pstate : null });
}

function processOf([, gpu, gi, ci, pid, type, name, memory]: RegExpExecArray): GpuProcess {
  return unknownProcess({
    pid: Number(pid),
    name: textOf(name ?? ''),
    memoryUsedMiB: numberOf(memory ?? ''),
    type: processTypeOf(type),
    gpuIndex: Number(gpu),
    gpuInstanceId: integerOf(gi ?? ''),
    computeInstanceId: integerOf(ci ?? ''),
  });
}

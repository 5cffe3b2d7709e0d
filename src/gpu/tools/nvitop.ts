import { drawnInAscii } from '../../core/text/frame';
import { unknownDevice } from '../device';
import type { GpuDevice } from '../device';
import { readTable } from '../nvidia/table';
import { amountOf, countOf, wordsOf } from '../parse/amount';
import { readingOf, shown } from '../parse/reading';
import type { Shown } from '../parse/reading';
import { Problems } from '../problems';
import { processTypeOf, unknownProcess } from '../sample';
import type { GpuProcess } from '../sample';
import { ONE_SHOT } from '../tool';
import type { GpuTool, ToolReading } from '../tool';

const problems = new Problems('nvitop', [['no-devices', /No visible devices found/i]]);

/** A monitor for terminals, read where its screen is pasted (`nvitop -1`). */
export const nvitop: GpuTool = {
  ...ONE_SHOT,
  id: 'nvitop',
  vendor: 'nvidia',
  executables: () => [],
  query: () => ['-1'],
  ...problems.reads((text, receivedMs, output) => {
    const stdout = drawnInAscii(text);
    // Old releases have the head of nvidia-smi.
    const isOld = stdout !== text && OLD_HEAD.test(stdout);
    return isOld ? readTable({ ...output, stdout }, receivedMs) : readScreen(stdout, receivedMs);
  }),
};

const OLD_HEAD = /^\s{0,20}\| NVIDIA-SMI \d/m;
const HEAD =
  /NVITOP\s{1,8}\S{1,20}\s{1,20}Driver Version: ?([\d.]{1,20})(?:\s{1,20}CUDA Driver Version: ?([\d.]{1,20}))?/;
/** Index, name, persistence, address. */
const FIRST =
  /^\|\s{1,4}(\d{1,3})\s{1,4}(\S[^|]{0,40}?)\s{1,24}(On|Off|WDDM|TCC|N\/A)\s{0,4}\| ([0-9A-Fa-f:.]{7,16}) /;
/** Fan, temperature, state, power, limit, memory, utilization: alone, or after the index in a compact screen. */
const SECOND =
  /^\|\s{1,4}(?:(\d{1,3}) {1,2})?(\d{1,3}%|MAX|N\/A)\s{1,6}(\d{1,3}C|N\/A)\s{1,6}(P\d{1,2}|N\/A)\s{1,8}(\d{1,5}W|N\/A) ?\/ ?(\d{1,5}W|N\/A)\s{0,4}\|\s{0,12}(\S{1,12}) ?\/ ?(\S{1,12})\s{0,4}\|\s{0,8}(\d{1,3}%|N\/A) /;

/** GPU, process, type, user, memory, shares of the GPU, its bandwidth, the CPU and the RAM, time, command. */
const PROCESS =
  /^\|\s{1,4}(\d{1,3})\s{1,10}(\d{1,10}) (C|G|C\+G|X)\s{1,12}(\S{1,16})\s{1,10}(\S{1,12})\s{1,6}(\S{1,5})\s{1,6}(\S{1,5})\s{1,6}\S{1,6}\s{1,6}\S{1,5}\s{1,10}(?:\d{1,4} days|[\d:.]{1,12})\s{1,4}([^|]{1,400})\|/;

function readScreen(text: string, receivedMs: number): ToolReading {
  const [, driverVersion = null, cudaVersion = null] = HEAD.exec(text) ?? [];
  if (driverVersion === null) return readingOf([]);
  const gpus: Shown[] = [];
  const processes: GpuProcess[] = [];
  let first: RegExpExecArray | null = null;
  for (const line of text.split(/\r?\n/).map(one => one.trimStart().slice(0, 400))) {
    const second = SECOND.exec(line);
    if (second) gpus.push(gpuOf(first, second, driverVersion, receivedMs));
    first = FIRST.exec(line);
    processes.push(...processIn(line));
  }
  return readingOf(
    gpus.filter(({ device }) => device.index >= 0),
    { driverVersion, cudaVersion, processes },
  );
}

function processIn(line: string): readonly GpuProcess[] {
  const [, gpu, pid, type = '', user, memory = '', sm, bandwidth, command] = PROCESS.exec(line) ?? [];
  if (pid === undefined) return [];
  return [
    unknownProcess({
      pid: Number(pid),
      name: wordsOf(command),
      memoryUsedMiB: amountOf(memory, 'MiB'),
      type: processTypeOf(type),
      smPct: countOf(sm),
      memBusyPct: countOf(bandwidth),
      user: wordsOf(user),
      gpuIndex: Number(gpu),
    }),
  ];
}

function gpuOf(
  first: RegExpExecArray | null,
  second: RegExpExecArray,
  driverVersion: string,
  receivedMs: number,
): Shown {
  const [, own, fan, temp, pstate = '', power, limit, used, total = '', util] = second;
  const [, index = own, name, mode, pciBusId] = first ?? [];
  const device: GpuDevice = unknownDevice({
    key: pciBusId ?? `nvidia:${index ?? ''}`,
    vendor: 'nvidia',
    index: index === undefined ? -1 : Number(index),
    pciBusId: pciBusId ?? null,
    name: wordsOf(name),
    persistenceMode: mode === 'On' ? true : mode === 'Off' ? false : null,
    memoryTotalMiB: amountOf(total, 'MiB'),
    memoryKind: 'dedicated',
    driverVersion,
  });
  const texts = {
    fanPct: [fan === 'MAX' ? '100%' : fan],
    tempC: [temp],
    powerW: [power],
    powerLimitW: [limit],
    memoryUsedMiB: [used],
    utilPct: [util],
  };
  return shown(device, texts, receivedMs, { pstate: pstate.startsWith('P') ? pstate : null });
}

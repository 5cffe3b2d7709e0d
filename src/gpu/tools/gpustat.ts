import { unknownDevice } from '../device';
import { isList, isObject, jsonValues } from '../parse/json';
import type { Json, JsonObject } from '../parse/json';
import { readingOf, shown } from '../parse/reading';
import type { Shown } from '../parse/reading';
import { countOf, wordsOf } from '../parse/amount';
import { Problems } from '../problems';
import { unknownProcess } from '../sample';
import type { GpuProcess } from '../sample';
import { ONE_SHOT } from '../tool';
import type { GpuTool, ToolReading } from '../tool';

const problems = new Problems('gpustat', [['driver-not-loaded', /Error on querying NVIDIA devices/i]]);

/** People's summary of nvidia-smi, read where it is pasted: nvidia-smi itself says more. */
export const gpustat: GpuTool = {
  ...ONE_SHOT,
  id: 'gpustat',
  vendor: 'nvidia',
  executables: () => [],
  query: () => ['--json'],
  ...problems.reads((text, receivedMs) => readJson(jsonValues(text), receivedMs), readText),
};

/** A field of an object as the text that it stands for; absent if it has none. */
function textIn(object: JsonObject, field: string): string | undefined {
  const value = object[field];
  return typeof value === 'number' || typeof value === 'string' ? String(value) : undefined;
}

function readJson(values: readonly Json[], receivedMs: number): ToolReading {
  const all = values.flatMap(value => (isObject(value) && isList(value['gpus']) ? value['gpus'] : []));
  const gpus = all.filter(isObject).filter(gpu => 'memory.total' in gpu && 'utilization.gpu' in gpu);
  const processes = gpus.flatMap(gpu =>
    isList(gpu['processes']) ? gpu['processes'].filter(isObject).map(one => jsonProcess(one, gpu)) : [],
  );
  return readingOf(
    gpus.map((gpu, at) => jsonGpu(gpu, at, receivedMs)),
    { processes: processes.filter(one => one !== null) },
  );
}

function jsonGpu(gpu: JsonObject, at: number, receivedMs: number): Shown {
  const uuid = wordsOf(textIn(gpu, 'uuid'));
  const index = countOf(textIn(gpu, 'index')) ?? at;
  const device = unknownDevice({
    key: uuid ?? `nvidia:${index}`,
    vendor: 'nvidia',
    index,
    uuid,
    name: wordsOf(textIn(gpu, 'name')),
    memoryTotalMiB: countOf(textIn(gpu, 'memory.total')),
    memoryKind: 'dedicated',
  });
  const texts = {
    tempC: [textIn(gpu, 'temperature.gpu')],
    fanPct: [textIn(gpu, 'fan.speed')],
    utilPct: [textIn(gpu, 'utilization.gpu')],
    powerW: [textIn(gpu, 'power.draw')],
    powerLimitW: [textIn(gpu, 'enforced.power.limit')],
    memoryUsedMiB: [textIn(gpu, 'memory.used')],
  };
  return shown(device, texts, receivedMs);
}

function jsonProcess(one: JsonObject, gpu: JsonObject): GpuProcess | null {
  const pid = countOf(textIn(one, 'pid'));
  if (pid === null) return null;
  return unknownProcess({
    pid,
    name: wordsOf(textIn(one, 'command')),
    memoryUsedMiB: countOf(textIn(one, 'gpu_memory_usage')),
    gpuIndex: countOf(textIn(gpu, 'index')),
    gpuUuid: wordsOf(textIn(gpu, 'uuid')),
    user: wordsOf(textIn(one, 'username')),
  });
}

/** `[0] Tesla K80 | 31'C, 30 %, 5 % | 40 / 149 W | 0 / 11441 MB | python/12(8M)`; fan and power are optional. */
const ROW =
  /^\[(\d{1,4})\] ([^|]{1,80})\|\s{0,8}([\d?]{1,4})['°]C,\s{0,8}(?:([\d?]{1,4}) ?%,\s{0,8})?([\d?]{1,4}) ?%(?: ?\([^)|]{0,40}\))? ?(?:[|,]\s{0,8}([\d?]{1,5}) ?\/\s{0,8}([\d?]{1,5}) W ?)?\|\s{0,8}([\d?]{1,8}) ?\/\s{0,8}([\d?]{1,8}) MB ?\|?(.{0,4000})$/;
const HEADER = /\d\d:\d\d:\d\d \d{4}\s{1,8}(\d{3}(?:\.\d{1,3}){1,2})\s{0,8}(?:$|\[0\] )/m;
const MOST_IN_A_LINE = 5000;
const HOLDER = /(?<![^\s|/(])([^\s|/(]{1,64})(?:\/(\d{1,10}))?\((\d{1,8})M\)/g;

function readText(text: string, receivedMs: number): ToolReading {
  const driverVersion = HEADER.exec(text)?.[1] ?? null;
  const rows = text.split(/\r?\n|\s(?=\[\d{1,4}\] [^|[\]]{1,80}\|\s{0,8}[\d?]{1,4}['°]C,)/).flatMap(line => {
    const row = ROW.exec(line.trimStart().slice(0, MOST_IN_A_LINE));
    return row ? [row] : [];
  });
  const devices = rows.map(row => textGpu(row, driverVersion, receivedMs));
  return readingOf(devices, { processes: rows.flatMap(processesIn), driverVersion });
}

function textGpu(row: RegExpExecArray, driverVersion: string | null, receivedMs: number): Shown {
  const [, index, name, temp, fan, util, power, limit, used, total] = row;
  const device = unknownDevice({
    key: `nvidia:${index ?? ''}`,
    vendor: 'nvidia',
    index: Number(index),
    name: wordsOf(name),
    memoryTotalMiB: countOf(total),
    memoryKind: 'dedicated',
    driverVersion,
  });
  const texts = {
    tempC: [temp],
    fanPct: [fan],
    utilPct: [util],
    powerW: [power],
    powerLimitW: [limit],
    memoryUsedMiB: [used],
  };
  return shown(device, texts, receivedMs);
}

/** What runs, where a word alone could also be a user. */
const PROGRAM = /^(?:python|ipython|java|node|julia|Xorg)[\d.]{0,8}$|[/\\]|\.(?:py|exe)$/;

/** Processes are listed with their pids and commands only on request; without both, the word is a user. */
function processesIn(row: RegExpExecArray): readonly GpuProcess[] {
  return [...(row[10] ?? '').matchAll(HOLDER)].map(([, word = '', pid, memory]) => {
    const [, user, command] = /^([^:]{1,32}):(.{1,64})$/.exec(word) ?? [];
    const isUser = command === undefined && pid === undefined && !PROGRAM.test(word);
    return unknownProcess({
      pid: pid === undefined ? null : Number(pid),
      name: isUser ? null : (command ?? word),
      user: isUser ? word : (user ?? null),
      memoryUsedMiB: countOf(memory),
      gpuIndex: Number(row[1]),
    });
  });
}

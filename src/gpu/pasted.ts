import { drawnInAscii, unframed } from '../core/text/frame';
import { repaired } from '../core/text/repairs';
import { withDetail } from './device';
import type { GpuDevice } from './device';
import { indented } from './parse/outline';
import { plainOutput } from './parse/text';
import { MEASURES } from './sample';
import type { GpuProcess, GpuSample } from './sample';
import type { GpuTool, ToolOutput, ToolReading } from './tool';

/** An output that someone pasted into a file: the tool that printed it, and the last sample of each device in it. */
interface Pasted {
  readonly tool: string;
  readonly reading: ToolReading;
}

/** The output of any tool, in whatever frame it comes and however it was damaged; null if none reads a GPU in it. */
export function readPasted(text: string, tools: readonly GpuTool[], receivedMs: number): Pasted | null {
  const whole = readOne(text, tools, receivedMs);
  const hosts = whole === null ? null : readHosts(text, tools, receivedMs);
  const best = hosts !== null && whole !== null && hosts.facts >= whole.facts ? hosts : whole;
  return best === null ? null : { tool: best.tool, reading: best.reading };
}

function readOne(text: string, tools: readonly GpuTool[], receivedMs: number): Found | null {
  const commands = commandsIn(text);
  let best: Found | null = null;
  for (const plain of textsOf(text)) {
    const found = readPlain(plain, tools, commands, receivedMs);
    if (found !== null && found.facts > (best?.facts ?? 0)) best = found;
  }
  return best;
}

/** The same command on several hosts, whose lines begin with its name, as `pdsh` prints them, or stand below it. */
function readHosts(text: string, tools: readonly GpuTool[], receivedMs: number): Found | null {
  const found = [...hostsIn(text)].flatMap(([node, own]) => {
    const one = readOne(own, tools, receivedMs);
    return one === null ? [] : [{ node, one }];
  });
  const [first] = found;
  if (first === undefined || found.length < FEWEST_HOSTS) return null;
  const devices = found.flatMap(({ node, one }) =>
    one.reading.devices.map(device => ({ ...device, node, key: `${node}/${device.key}` })),
  );
  const samples = found.flatMap(({ one }) => one.reading.samples);
  const reading = {
    ...first.one.reading,
    devices,
    samples: samples.map((sample, at) => ({ ...sample, key: devices[at]?.key ?? sample.key })),
    processes: found.flatMap(({ one }) => one.reading.processes),
  };
  return { tool: first.one.tool, reading, facts: factsOf(reading) };
}

const OF_HOST = /^\s{0,4}([A-Za-z][\w.-]{0,63}): ?(.*)$/;
const BELOW_HOST = /^([A-Za-z0-9][\w.-]{0,63}) \| (?:CHANGED|SUCCESS) \| rc=\d{1,3} >>/;
const [FEWEST_HOSTS, MOST_HOSTS, FEWEST_LINES] = [2, 64, 3];

/** The lines of each host; empty if they are not of several. */
function hostsIn(text: string): ReadonlyMap<string, string> {
  const lines = text.split(/\r?\n/).filter(line => line.trim() !== '');
  const hosts = new Map<string, string[]>();
  let below: string | undefined;
  for (const line of lines) {
    below = BELOW_HOST.exec(line)?.[1] ?? below;
    const [, before, rest = ''] = OF_HOST.exec(line) ?? [];
    const name = below ?? before;
    if (name === undefined) continue;
    const own = hosts.get(name) ?? [];
    own.push(below === undefined ? rest : line);
    hosts.set(name, own);
    if (hosts.size > MOST_HOSTS) return new Map();
  }
  const all = [...hosts].filter(([, own]) => own.length >= FEWEST_LINES);
  const count = all.reduce((sum, [, own]) => sum + own.length, 0);
  return new Map(count >= MOST * lines.length ? all.map(([name, own]) => [name, own.join('\n')]) : []);
}
const MOST = 0.8;

interface Found extends Pasted {
  readonly facts: number;
}

/**
 * The texts that it may have been. A program may have drawn the lines of a table anew; most readers know those of
 * their tool only. What has the most facts is the right one, and the least changed of equals.
 */
function textsOf(text: string): readonly string[] {
  const all = repaired(unframed(text)).flatMap(one => [one, drawnInAscii(one)]);
  return [...new Set(all.flatMap(one => [one, indented(one) ?? one]))];
}

/** Commands of a tool in a text, whose arguments may name the columns of their output. */
const COMMAND =
  /\b(nvidia-smi|xpu-smi|amd-smi|rocm-smi)(?:\.exe)? ((?:--?[a-z]|dmon|pmon|dump|metric|monitor|static|stats|discovery)[^|;&<>`\n]{0,600})/g;
const MOST_COMMANDS = 5;

interface Command {
  readonly tool: string;
  readonly args: readonly string[];
}

function commandsIn(text: string): readonly Command[] {
  return [...text.slice(0, COMMANDS_WITHIN).matchAll(COMMAND)]
    .slice(0, MOST_COMMANDS)
    .map(([, tool = '', args = '']) => ({
      tool,
      args: args.replace(/["']/g, '').trim().split(/\s+/),
    }));
}
const COMMANDS_WITHIN = 20_000;

function readPlain(
  plain: string,
  tools: readonly GpuTool[],
  commands: readonly Command[],
  receivedMs: number,
): Found | null {
  const output = outputOf(plain);
  const all = tools.flatMap(tool => readingsOf(tool, output, commands, receivedMs));
  const [best, ...others] = all.toSorted((a, b) => b.facts - a.facts);
  const tool = tools.find(({ id }) => id === best?.tool);
  if (best === undefined || tool === undefined) return null;
  const parts = partsOf(plain).flatMap(part => readingsOf(tool, outputOf(part), commands, receivedMs));
  return together(best, [...others, ...parts]);
}

/** The outputs of one tool in a text stand apart; a reader of the whole takes one of them. */
function partsOf(text: string): readonly string[] {
  const parts = text.split(/\n[ \t]*\n/).filter(part => part.trim() !== '');
  return parts.length > 1 && parts.length <= MOST_PARTS ? parts : [];
}
const MOST_PARTS = 8;

const outputOf = (text: string): ToolOutput =>
  plainOutput({ stdout: text.endsWith('\n') ? text : `${text}\n`, stderr: '', exitCode: 0 });

function readingsOf(
  tool: GpuTool,
  output: ToolOutput,
  commands: readonly Command[],
  receivedMs: number,
): readonly Found[] {
  const told = commands.filter(one => one.tool === tool.id && tool.canRead(one.args)).map(({ args }) => args);
  const least = told.length > 0 ? 0 : LEAST_FACTS;
  return [...(tool.forms ?? [tool.query([])]), ...told].flatMap(args => {
    const reading = lastOfEach(tool.read(args, output, receivedMs));
    const facts = factsOf(reading);
    // A head with the driver is a command, too: a Jetson's GPU has only a name below it. So are names of all GPUs.
    const isNamed = reading.devices.length > 0 && reading.devices.every(({ name }) => name !== null);
    const isRead = facts > least || (facts > 0 && (isNamed || reading.driverVersion !== null));
    return isRead ? [{ tool: tool.id, reading, facts }] : [];
  });
}

/** With what another output of the same tool says of the same devices: a list and a table in one text. */
function together(best: Found, others: readonly Found[]): Found {
  return others.reduce((found, { tool, reading }) => {
    const { devices, samples, processes } = found.reading;
    const lacksProcesses = processes.length === 0 && found.reading.processesHidden !== false;
    if (tool === best.tool && reading.devices.length === 0 && lacksProcesses) {
      return withProcesses(found, reading.processes);
    }
    const areSame =
      tool === best.tool &&
      devices.length === reading.devices.length &&
      devices.every((device, at) => isSameDevice(device, reading.devices[at])) &&
      devices.every((_, at) => isSameTime(samples[at], reading.samples[at]));
    if (!areSame) return found;
    const whole = devices.map((device, at) => joined(device, reading.devices[at]));
    const merged: ToolReading = {
      ...found.reading,
      devices: whole,
      samples: whole.flatMap(({ key }, at) => filled(samples[at], reading.samples[at], key) ?? []),
      // A panel without processes is an answer.
      processes:
        processes.length > 0 || found.reading.processesHidden === false ? processes : reading.processes,
      driverVersion: found.reading.driverVersion ?? reading.driverVersion,
      cudaVersion: found.reading.cudaVersion ?? reading.cudaVersion,
    };
    return { ...found, reading: merged, facts: factsOf(merged) };
  }, best);
}

function withProcesses(found: Found, processes: ToolReading['processes']): Found {
  const reading = { ...found.reading, processes };
  return { ...found, reading, facts: factsOf(reading) };
}

/** Of one place, and alike in all that both say. */
const isSameDevice = (a: GpuDevice, b: GpuDevice | undefined): boolean =>
  b !== undefined &&
  a.index === b.index &&
  IDENTITY.every(fact => a[fact] === null || b[fact] === null || a[fact] === b[fact]);
const IDENTITY = ['name', 'uuid', 'pciBusId', 'memoryTotalMiB'] as const;

/** Outputs of two times differ in what they measure. */
const isSameTime = (a: GpuSample | undefined, b: GpuSample | undefined): boolean =>
  MEASURES.every(measure => {
    const [one, other] = [a?.[measure] ?? null, b?.[measure] ?? null];
    return one === null || other === null || one === other;
  });

/** A device with what another output says of it and of its slices. */
function joined(device: GpuDevice, other: GpuDevice = device): GpuDevice {
  const whole = withDetail(other, [device]);
  const [mine, theirs] = [device.mig?.instances ?? [], other.mig?.instances ?? []];
  if (mine.length === 0 || mine.length !== theirs.length) return whole;
  const instances = mine.map((slice, at) => {
    const known = Object.entries(slice).filter(([, value]) => value !== null);
    return { ...slice, ...theirs[at], ...Object.fromEntries(known) };
  });
  return { ...whole, mig: { enabled: true, instances } };
}

/** A sample with what another says, of the device with this key. */
function filled(
  sample: GpuSample | undefined,
  other: GpuSample | undefined,
  key: string,
): GpuSample | undefined {
  const one = sample ?? other;
  if (one === undefined) return undefined;
  const measures: Partial<GpuSample> = Object.fromEntries(
    MEASURES.map(measure => [measure, one[measure] ?? other?.[measure] ?? null]),
  );
  return { ...one, ...measures, key };
}

/** How much a reading says: what a device is and measures, and processes. */
export const factsOf = ({ devices, samples, processes }: ToolReading): number =>
  devices.reduce((sum, one, at) => sum + factsIn(one, samples[at]), 2 * processes.length);

/** A single fact may be a coincidence, unless the tool's own command is above it: a number in a column of another tool. */
const LEAST_FACTS = 1;

function factsIn(
  { name, memoryTotalMiB, uuid, pciBusId, coreCount = null, mig }: GpuDevice,
  sample: GpuSample | undefined,
): number {
  const measures = MEASURES.map(measure => sample?.[measure] ?? null);
  const known = [name, memoryTotalMiB, uuid, pciBusId, coreCount, ...measures].filter(
    value => value !== null,
  );
  return known.length + (mig?.instances.length ?? 0);
}

/** A stream shows each device and process once per tick, and people paste several outputs in one text. */
export function lastOfEach(reading: ToolReading): ToolReading {
  if (reading.devices.length + reading.processes.length === 0) return reading;
  const last = new Map(reading.devices.map((device, at) => [device.key, at]));
  const at = [...last.values()];
  const processes = new Map(reading.processes.map(one => [keyOf(one), one]));
  return inOne({
    ...reading,
    processes: [...processes.values()],
    devices: at.flatMap(one => reading.devices[one] ?? []),
    samples: at.flatMap(one => reading.samples[one] ?? []),
  });
}

/** Processes without a number differ in what else is said of them. */
const keyOf = ({ pid, gpuIndex, gpuUuid, type, user, name, memoryUsedMiB }: GpuProcess): string =>
  [pid, gpuIndex, gpuUuid, type, ...(pid === null ? [user, name, memoryUsedMiB] : [])].join();

/** A list has the identity of a GPU, and what follows it only its number: both are one. */
function inOne(reading: ToolReading): ToolReading {
  const all: { device: GpuDevice; sample: GpuSample | undefined }[] = [];
  for (const [at, device] of reading.devices.entries()) {
    const sample = reading.samples[at];
    const known = all.find(
      ({ device: one, sample: first }) =>
        one.uuid !== null && device.uuid === null && isSameDevice(one, device) && isSameTime(first, sample),
    );
    if (known === undefined) all.push({ device, sample });
    else {
      known.device = joined(known.device, device);
      known.sample = filled(sample, known.sample, known.device.key);
    }
  }
  return {
    ...reading,
    devices: all.map(({ device }) => device),
    samples: all.flatMap(({ sample }) => sample ?? []),
  };
}

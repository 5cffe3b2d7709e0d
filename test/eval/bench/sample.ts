import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { RingHistory } from '../../../src/gpu/history';
import { LocalWatch } from '../../../src/gpu/localWatch';
import { machineOf } from '../../../src/gpu/machine';
import { OpenFleet } from '../../../src/gpu/openFleet';
import { neverAsleep } from '../../../src/gpu/sleep';
import { SshWatch } from '../../../src/gpu/ssh/sshWatch';
import type { Timers } from '../../../src/gpu/timers';
import { nvidiaSmi } from '../../../src/gpu/tools/nvidiaSmi';
import { gpuTools } from '../../../src/gpu/tools/registry';
import { Gate } from '../../../src/remote/gate';
import { SSH_DEFAULTS } from '../../../src/remote/sshArguments';
import { median, repeated, rounded } from './bench';
import type { Bench } from './bench';
import { FarSide, RecordedGpus } from './farSide';

/** More than the history's hour. */
const SECONDS = repeated(4000, 40);

/** MiB for an hour of this number of GPUs once the history is full, with all that nvidia-smi reports for each. */
function historyMiB(gpus: number, recording: string, usedMiB: () => number): number {
  const text = readFileSync(recording, 'utf8');
  const output = { stdout: text, stderr: '', exitCode: 0 };
  const [sample] = nvidiaSmi.read(nvidiaSmi.query([]), output, 0).samples;
  if (!sample) throw new Error(`${recording} has no sample.`);
  const before = usedMiB();
  const history = new RingHistory();
  for (let second = 1; second <= SECONDS; second++) {
    for (let gpu = 0; gpu < gpus; gpu++) {
      history.add('host', [{ ...sample, key: String(gpu), receivedMs: second * 1000 }]);
    }
  }
  const after = usedMiB();
  // Reading it afterwards keeps it from being collected before.
  if (history.devices().length !== gpus) throw new Error('The history lost a GPU.');
  return after - before;
}

const HOSTS = 64;
const SECOND = 1000;
/** After an hour the history is full; later growth would be unbounded. */
const FULL = repeated(3700, 40);
const TICKS = repeated(10_000, 40);
const PEER_TICKS = repeated(5);
const HISTORY = 'test/fixtures/telemetry/nv-csv-4080s-595-load.csv';
const MIB = 2 ** 20;

/** A clock that advances by a second per tick, however long the tick takes. */
class TickTimers implements Timers {
  private ms = 0;
  private readonly waiting = new Set<{ readonly at: number; readonly call: () => void }>();

  now(): number {
    return this.ms;
  }

  after(ms: number, call: () => void): () => void {
    const entry = { at: this.ms + ms, call };
    this.waiting.add(entry);
    return () => this.waiting.delete(entry);
  }

  second(): void {
    this.ms += SECOND;
    for (const entry of this.waiting) {
      if (entry.at <= this.ms && this.waiting.delete(entry)) entry.call();
    }
  }
}

/**
 * 64 hosts with 8 GPUs each at one sample per second, over in-memory connections: only reading and storing remain.
 */
export const sample: Bench = {
  name: 'sample',
  async run() {
    const { fleet, timers, sides, started } = openHosts();
    const releases = fleet
      .watches()
      .slice(1)
      .map(watch => watch.hold());
    let readings = 0;
    for (const watch of fleet.watches()) watch.on(() => (readings += 1));
    await until(() => sides.length === HOSTS && sides.every(side => side.isStreaming));
    const connected = started();
    const costs: number[] = [];
    let halfway = 0;
    for (let tick = 1; tick <= TICKS; tick++) {
      const before = process.cpuUsage();
      timers.second();
      for (const side of sides) side.tick(tick);
      await new Promise(resolve => setImmediate(resolve));
      const { user, system } = process.cpuUsage(before);
      costs.push((user + system) / 1000);
      if (tick === FULL) halfway = heapMiB();
    }
    const end = heapMiB();
    const devices = fleet.history.devices().length;
    for (const release of releases) release();
    fleet.dispose();
    const cost = costs.reduce((sum, one) => sum + one, 0) / costs.length;
    const peer = await oneShots();
    const detail = {
      devices,
      readings,
      ticks: TICKS,
      medianTickMs: rounded(median(costs)),
      processesStartedPerTick: (started() - connected) / TICKS,
      [`heapMiBAfter${FULL}`]: rounded(halfway, 1),
      [`heapMiBAfter${TICKS}`]: rounded(end, 1),
      historyMiB: rounded(historyMiB(devices, HISTORY, heapMiB), 1),
      input: `${HOSTS} hosts x 8 GPUs, 1 Hz, recorded nvidia-smi rows; CPU of the whole process`,
    };
    const value = percentOfACore(cost);
    return {
      value,
      unit: '% of one core',
      runs: TICKS,
      peer: { name: 'a process a host and tick, read by the same reader', value: percentOfACore(peer) },
      ratio: rounded(cost / peer),
      detail,
    };
  },
};

const percentOfACore = (msPerTick: number): number => rounded((100 * msPerTick) / SECOND, 2);

function openHosts() {
  const timers = new TickTimers();
  const sides: FarSide[] = [];
  let started = 0;
  const machine = machineOf({
    system: {
      platform: 'linux',
      variables: {},
      launch: () => {
        throw new Error('Nothing is to be started here.');
      },
      timers,
      tools: [],
      executables: {},
      adapters: () => Promise.resolve([]),
    },
    intervalMs: SECOND,
    owners: () => Promise.resolve(new Map()),
    load: () => Promise.resolve(null),
    sleepOf: () => neverAsleep,
    mayStream: true,
  });
  const room = {
    program: SSH_DEFAULTS,
    platform: process.platform,
    intervalMs: SECOND,
    lingerMs: 0,
    talk: () => {
      started += 1;
      const side = new FarSide();
      sides.push(side);
      return side;
    },
    timers,
    tools: gpuTools,
    gate: new Gate(6),
    dice: () => 0.5,
  };
  const fleet = new OpenFleet(new LocalWatch(machine), spec => {
    if (spec.kind !== 'ssh') throw new Error(`No ${spec.kind} here.`);
    return new SshWatch(spec.alias, spec.name, room);
  });
  const aliases = Array.from({ length: HOSTS }, (_, at) => `node${at}`);
  fleet.setHosts(aliases.map(alias => ({ kind: 'ssh', alias, name: alias })));
  return { fleet, timers, sides, started: () => started };
}

async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 10_000 && !holds(); turn++) await new Promise(resolve => setImmediate(resolve));
  if (!holds()) throw new Error('The hosts did not all begin to stream.');
}

/** Memory in use after garbage collection. */
function heapMiB(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / MIB;
}

/**
 * The plain way: each tick starts a process per host, which prints the same rows; CPU of both sides, in ms per
 * tick.
 */
async function oneShots(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-sample-'));
  try {
    const args = nvidiaSmi.query([]);
    const gpus = new RecordedGpus(args.find(arg => arg.startsWith('--query-gpu=')) ?? '');
    const file = join(folder, 'rows.csv');
    writeFileSync(file, `${[gpus.header, ...gpus.tick(1)].join('\n')}\n`);
    const before = cpuMs();
    for (let tick = 0; tick < PEER_TICKS; tick++) {
      const outputs = await Promise.all(Array.from({ length: HOSTS }, () => printed('cat', [file])));
      for (const stdout of outputs) nvidiaSmi.read(args, { stdout, stderr: '', exitCode: 0 }, tick);
    }
    return (cpuMs() - before) / PEER_TICKS;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function printed(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    let text = '';
    child.stdout.on('data', (part: Buffer) => (text += part.toString()));
    child.on('error', reject);
    child.on('close', () => resolve(text));
  });
}

/** Linux counts CPU time in ticks of 10 ms. */
const MS_PER_JIFFY = 10;

/** CPU time of this process and of its ended children if the system reports it; else of this process alone. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + childrenMs();
}

function childrenMs(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return (Number(fields[13]) + Number(fields[14])) * MS_PER_JIFFY;
  } catch {
    return 0;
  }
}

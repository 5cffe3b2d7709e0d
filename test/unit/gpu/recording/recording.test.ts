import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostText } from '../../../../src/cli/gpus/rows';
import type { HostReading, HostWatch } from '../../../../src/gpu/fleet';
import { LocalWatch } from '../../../../src/gpu/localWatch';
import { machineOf } from '../../../../src/gpu/machine';
import { atOnce, ReplayClock } from '../../../../src/gpu/recording/clock';
import { HostRecorder } from '../../../../src/gpu/recording/recorder';
import { SCHEMA } from '../../../../src/gpu/recording/recording';
import type { RecordedHost, RecordedRun } from '../../../../src/gpu/recording/recording';
import { endOf, replayed } from '../../../../src/gpu/recording/replay';
import { Sanitizer } from '../../../../src/gpu/recording/sanitise';
import { neverAsleep } from '../../../../src/gpu/sleep';
import { gpuTools } from '../../../../src/gpu/tools/registry';
import { FakeLaunch, FakeTimers, settled } from '../fake';

const telemetry = (name: string): string => readFileSync(join('test/fixtures/telemetry', name), 'utf8');
const slurm = (name: string): string => readFileSync(join('test/fixtures/slurm', name), 'utf8');
const ray = (name: string): string => readFileSync(join('test/fixtures/ray', name), 'utf8');

const NVIDIA = gpuTools.filter(({ id }) => id === 'nvidia-smi');

const HOST = { id: 'ssh:geheim-1', kind: 'ssh', name: 'geheim-1' } as const;
const RUN = { program: 'nvidia-smi', args: [], atMs: 0, end: null };
const RECORDED: RecordedHost = {
  host: HOST,
  platform: 'linux',
  startedMs: 0,
  machine: null,
  runs: [],
  requests: [],
};

const run = (text: string, more: Partial<RecordedRun> = {}): RecordedRun => ({
  ...RUN,
  output: [[0, 'stdout', text]],
  ...more,
});

/** A text after cleaning. */
function cleaned(text: string, more: Partial<RecordedRun> = {}, salt = 's'): string {
  const { runs } = new Sanitizer(salt, ['alice'], ['bigbox']).host({ ...RECORDED, runs: [run(text, more)] });
  return (runs[0]?.output ?? []).map(([, , part]) => part).join('');
}

describe('a recording for others', () => {
  it('contains no names: the same thing has the same hash in one file, and another in the next', () => {
    const uuid = 'GPU-0f1e2d3c-aaaa-bbbb-cccc-0123456789ab';
    const once = cleaned(`${uuid}, ${uuid.toUpperCase().replace('GPU', 'GPU')}\n`);
    const [a, b] = once.trim().split(', ');
    assert.match(a ?? '', /^GPU-[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/);
    assert.equal(a, b);
    assert.notEqual(a, uuid);
    assert.notEqual(cleaned(uuid, {}, 'other'), cleaned(uuid));
  });

  it('keeps numbers and names of GPUs as they are', () => {
    const row = '0, NVIDIA GeForce RTX 4080 SUPER, 595.45.04, 00000000:0C:00.0, 16376 MiB, 46, [N/A]\n';
    assert.equal(cleaned(row), row);
    assert.equal(
      cleaned('  | 0 | 96.00.74.00.01 | 535.183.01 |\n'),
      '  | 0 | 96.00.74.00.01 | 535.183.01 |\n',
    );
  });

  it('keeps places that every machine has: what a driver says there is told by where it lies', () => {
    const row = '/sys/class/drm/card0/device/mem_info_vram_used\n';
    assert.equal(cleaned(row), row);
    assert.equal(cleaned('/opt/alice/sys/tool\n'), '/…/tool\n');
  });

  it('drops users, machines, addresses, serial numbers, paths, secrets and command lines', () => {
    const text = [
      'alice@bigbox /home/bob/venv/bin/python',
      '<serial>1323422056789</serial><process_name>/usr/bin/python train.py --password=abc</process_name>',
      '"asic_serial": "0x1234567890abcdef", "ip": "192.168.7.9", token=hf_abcdefghijkl',
      'geheim-1 C:\\Users\\carol\\x 127.0.0.1 Serial Number: N/A',
    ].join('\n');
    const clean = cleaned(text);
    for (const gone of [
      ...['alice', 'bigbox', 'bob', 'venv', '1323422056789', 'train.py', 'abc', '1234567890abcdef'],
      ...['192.168.7.9', 'hf_abcdefghijkl', 'geheim', 'carol'],
    ]) {
      assert.ok(!clean.includes(gone), `${gone} in ${clean}`);
    }
    for (const kept of ['python</process_name>', '127.0.0.1', 'Serial Number: N/A']) {
      assert.ok(clean.includes(kept), `${kept} not in ${clean}`);
    }
    const apps = cleaned('5021, /opt/x/python train.py --name secret, 360 MiB\n', {
      args: ['--query-compute-apps=pid,process_name,used_memory'],
    });
    assert.equal(apps, '5021, /…/python, 360 MiB\n');
  });

  it('finds a name that came in two parts', () => {
    const { runs } = new Sanitizer('s', [], ['bigbox']).host({
      ...RECORDED,
      runs: [
        {
          ...RUN,
          output: [
            [0, 'stdout', 'on big'],
            [5, 'stdout', 'box\nnext '],
            [9, 'stdout', 'line'],
          ],
        },
      ],
    });
    const text = (runs[0]?.output ?? []).map(([, , part]) => part).join('');
    assert.match(text, /^on host-[0-9a-f]{8}\nnext line$/);
  });

  it('hashes the nodes of a cluster wherever they stand, and reads as before', () => {
    const scontrol = run(slurm('nodes-22.05.txt'), {
      program: 'scontrol',
      args: ['-d', '-o', 'show', 'node'],
    });
    const status = {
      path: '/nodes?view=summary',
      atMs: 0,
      endMs: 1,
      status: 200,
      body: ray('summary-gpus.json'),
    };
    const clean = new Sanitizer('s', [], []).host({ ...RECORDED, runs: [scontrol], requests: [status] });
    const text = JSON.stringify(clean);
    for (const gone of ['gpu-a1', 'gone1', 'NodeHostName=login', '"11111111-2222']) {
      assert.ok(!text.includes(gone), gone);
    }
    assert.ok(text.includes('Gres=gpu:a100:8'));
    assert.ok(text.includes('memoryTotal'));
  });
});

async function replayedReading(
  recorded: readonly RecordedHost[],
): Promise<{ readings: readonly HostReading[]; watches: readonly HostWatch[] }> {
  const recording = { schema: SCHEMA, version: '0', intervalMs: 1000, hosts: recorded } as const;
  const clock = new ReplayClock(0);
  const watches = replayed(recording, clock, NVIDIA);
  for (const watch of watches) watch.hold();
  await clock.run(endOf(recording), () => false, atOnce);
  return { readings: watches.map(({ reading }) => reading), watches };
}

describe('a recording shown again', () => {
  it('gives what the tools gave, at the times at which they did', async () => {
    const timers = new FakeTimers();
    const fake = new FakeLaunch();
    const recorder = new HostRecorder({ id: 'local', kind: 'local', name: 'This machine' }, timers);
    const watch = new LocalWatch(
      machineOf(
        recorder.tap({
          system: {
            platform: 'linux',
            variables: {},
            launch: fake.launch,
            timers,
            tools: NVIDIA,
            executables: {},
            adapters: () => Promise.resolve([]),
          },
          intervalMs: 1000,
          owners: () => Promise.resolve(new Map()),
          load: () => Promise.resolve({ cpuPct: 7, memoryTotalMiB: 1000, memoryUsedMiB: 10 }),
          sleepOf: () => neverAsleep,
          mayStream: true,
        }),
      ),
    );
    const release = watch.hold();
    await settled();
    const answered = new Set<unknown>();
    for (let step = 0; step < 12; step++) {
      const child = fake.children.at(-1);
      if (child && !answered.has(child)) {
        answered.add(child);
        const isApps = child.args.some(arg => arg.startsWith('--query-compute-apps'));
        const isLoop = child.args.some(arg => arg.startsWith('-l') || arg.startsWith('--loop'));
        child.say(telemetry(isApps ? 'nv-apps-4080s-595-load.csv' : 'nv-csv-4080s-595-load.csv'));
        if (!isLoop) child.end(0);
      }
      await timers.pass(10);
    }
    const before = watch.reading;
    assert.equal(before.status.state, 'live');
    release();
    const recorded = recorder.recorded();
    assert.ok(recorded.runs.length >= 3);
    const { readings } = await replayedReading([recorded]);
    const after = readings[0];
    assert.ok(after);
    assert.deepEqual(after.devices, before.devices);
    assert.deepEqual(after.samples, before.samples);
    assert.deepEqual(after.processes, before.processes);
    assert.equal(hostText({ ...after, status: before.status }).raw, hostText(before).raw);
  });

  it('asks nobody for what is not in it', async () => {
    const { readings } = await replayedReading([{ ...RECORDED, runs: [], machine: null }]);
    assert.equal(readings[0]?.status.state, 'no-tool');
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CatalogData } from '../../../src/core/data/rows';
import { GpuCatalog } from '../../../src/core/hardware/catalog';
import { detectGpus } from '../../../src/gpu/detect';
import type { Detection, GpuSystem } from '../../../src/gpu/detect';
import { nodeLaunch } from '../../../src/gpu/launch';
import type { Child } from '../../../src/gpu/launch';
import { presentTargets } from '../../../src/gpu/present';
import { unknownDevice } from '../../../src/gpu/device';
import type { GpuDevice } from '../../../src/gpu/device';
import { blankSample } from '../../../src/gpu/sample';
import { Sampler } from '../../../src/gpu/sampler';
import { neverAsleep } from '../../../src/gpu/sleep';
import { nodeTimers } from '../../../src/gpu/timers';
import type { GpuTool } from '../../../src/gpu/tool';
import { nvidiaSmi } from '../../../src/gpu/tools/nvidiaSmi';
import { FakeLaunch, FakeTimers, settled } from '../../unit/gpu/fake';

const catalog = new GpuCatalog(JSON.parse(readFileSync('src/core/data/gpus.json', 'utf8')) as CatalogData);
const folder = resolve('test/fixtures/telemetry');

/** A machine whose nvidia-smi replays a session of test/fixtures/telemetry. */
function replaying(session: string): GpuSystem {
  process.env['HEADROOM_REPLAY'] = `${folder}/${session}`;
  return { ...machine(nodeLaunch), executables: { 'nvidia-smi': `${folder}/nvidia-smi` } };
}

function machine(
  launch: (executable: string, args: readonly string[]) => Child,
  tools: readonly GpuTool[] = [nvidiaSmi],
): GpuSystem {
  return {
    platform: 'linux',
    variables: {},
    executables: {},
    launch,
    timers: nodeTimers,
    tools,
    adapters: () => Promise.resolve([]),
  };
}

(process.platform === 'win32' ? describe.skip : describe)('gpu: detection by a replayed nvidia-smi', () => {
  afterEach(() => {
    delete process.env['HEADROOM_REPLAY'];
  });

  it('finds devices, samples, processes and what to sample with', async () => {
    const found = await detectGpus(replaying('one-gpu.json'));
    assert.deepEqual([found.error, found.warnings], [null, []]);
    assert.equal(found.devices[0]?.name, 'NVIDIA GeForce RTX 4080 SUPER');
    assert.equal(found.samples[0]?.memoryReservedMiB, 434);
    assert.equal(found.processes?.length, 3);
    assert.equal(found.source?.tool, nvidiaSmi);
    const [target] = presentTargets(found, catalog);
    assert.deepEqual(
      { ...target, gpu: target?.gpu?.label },
      {
        name: 'RTX 4080 SUPER',
        totalMiB: 16376,
        usableMiB: 16376 - 434,
        busyMiB: found.samples[0].memoryUsedMiB,
        gpu: 'RTX 4080 SUPER',
        count: 1,
        nodes: 1,
        kind: 'present',
      },
    );
  });

  it('takes MIG instances for the devices that they are', async () => {
    const found = await detectGpus(replaying('mig.json'));
    const targets = presentTargets(found, catalog);
    assert.deepEqual(
      targets.map(target => [target.name, target.totalMiB, target.count]),
      [
        ['H100 SXM MIG 3g.40gb', 40448, 1],
        ['H100 SXM MIG 2g.20gb', 20096, 1],
        ['H100 SXM MIG 1g.10gb', 9984, 1],
      ],
    );
  });

  it("samples what it found in the tool's own loop until nobody needs samples", async () => {
    const system = replaying('one-gpu.json');
    const { source } = await detectGpus(system);
    assert.ok(source);
    const { launch, timers } = system;
    const sampler = new Sampler(source, {
      intervalMs: 50,
      launch,
      timers,
      sleep: neverAsleep,
      mayStream: true,
    });
    const powers = await new Promise<readonly (number | null)[]>(resolve => {
      const seen: (number | null)[] = [];
      sampler.on({
        samples: ([sample]) => {
          seen.push(sample?.powerW ?? null);
          if (seen.length === 3) resolve(seen);
        },
        state: () => undefined,
      });
      sampler.hold();
    });
    assert.deepEqual(sampler.state, { kind: 'live', by: 'stream' });
    sampler.dispose();
    assert.deepEqual(powers, [84.24, 84.24, 84.24]);
    assert.deepEqual(sampler.state, { kind: 'stopped' });
  });

  it('says why a driver does not answer, and does not go on to guess', async () => {
    const system = { ...replaying('no-driver.json'), adapters: () => Promise.reject(new Error('asked')) };
    const found = await detectGpus(system);
    assert.equal(found.error?.kind, 'driver-not-loaded');
    assert.deepEqual([found.devices, found.processes], [[], null]);
  });
});

describe('gpu: detection', () => {
  it('tries every place, then the operating system’s names, and starts nothing it does not know', async () => {
    const fake = new FakeLaunch();
    const adapters = () =>
      Promise.resolve([{ name: 'Apple M3 Max', vendor: 'apple' as const, sharedMemoryMiB: 65536 }]);
    const pending = detectGpus({ ...machine(fake.launch), adapters });
    for (let tries = 0; tries < 3; tries++) {
      await settled();
      fake.last.end(null, 'not-found');
    }
    const found = await pending;
    assert.deepEqual(
      fake.children.map(child => child.executable),
      ['nvidia-smi', '/usr/bin/nvidia-smi', '/usr/lib/wsl/lib/nvidia-smi'],
    );
    assert.deepEqual([found.source, found.error], [null, null]);
    const [target] = presentTargets(found, catalog);
    assert.deepEqual(
      [target?.name, target?.totalMiB, target?.usableMiB],
      ['Apple M3 Max 64GB', 65536, 49152],
    );
  });

  it('on Windows asks the system’s own copy first, and on a Mac none', () => {
    assert.match(nvidiaSmi.executables('win32', { SystemRoot: 'D:\\W' })[0] ?? '', /^D:\\W\\System32\\/);
    assert.deepEqual(nvidiaSmi.executables('darwin', {}), []);
  });

  it('asks again without the fields that a driver does not know', async () => {
    const fake = new FakeLaunch();
    const pending = detectGpus(machine(fake.launch));
    for (const field of ['memory.reserved', 'temperature.memory']) {
      await settled();
      fake.last.say(`Field "${field}" is not a valid field to query.\n`);
      fake.last.end(2);
    }
    await settled();
    fake.last.say('index, uuid, memory.total [MiB], name\n0, GPU-a, 16384, Tesla V100-SXM2-16GB\n');
    fake.last.end(0);
    await settled();
    fake.last.end(0);
    const found = await pending;
    assert.deepEqual(found.source?.unknownFields, ['memory.reserved', 'temperature.memory']);
    assert.deepEqual(
      presentTargets(found, catalog).map(target => target.name),
      ['V100 SXM2 16GB'],
    );
  });

  it('names the devices of a target, freest first, where a machine has several', () => {
    const device = { name: 'NVIDIA GeForce RTX 4090', vendor: 'nvidia', index: 0 } as const;
    const devices = ['GPU-a', 'GPU-b', 'GPU-c'].map(uuid =>
      unknownDevice({ ...device, key: uuid, uuid, memoryTotalMiB: 24564 }),
    );
    const busy = new Map([
      ['GPU-a', 900],
      ['GPU-b', 20],
      ['GPU-c', 9000],
    ]);
    const samples = devices.map(({ key }) => blankSample(key, 0, { memoryUsedMiB: busy.get(key) ?? null }));
    const targets = presentTargets({ devices, samples }, catalog);
    assert.deepEqual(
      targets.map(target => [target.count, target.devices]),
      [
        [2, { uuids: ['GPU-b', 'GPU-a'], ofMachine: 3 }],
        [1, { uuids: ['GPU-c'], ofMachine: 3 }],
      ],
    );
    const [alone] = presentTargets({ devices: devices.slice(0, 1), samples }, catalog);
    assert.equal(alone?.devices, undefined);
  });

  it('stops waiting for a driver that hangs', async () => {
    const fake = new FakeLaunch(true);
    const timers = new FakeTimers();
    const pending = detectGpus({ ...machine(fake.launch), timers });
    await timers.pass(15_000);
    const found = await pending;
    assert.equal(found.error?.kind, 'timed-out');
    assert.deepEqual([fake.children.length, fake.last.isStopped], [1, true]);
  });
});

describe('gpu: devices as targets', () => {
  const device = (index: number, name: string, memoryTotalMiB: number | null): GpuDevice => ({
    key: `GPU-${index}`,
    vendor: 'nvidia',
    index,
    uuid: `GPU-${index}`,
    pciBusId: null,
    name,
    memoryTotalMiB,
    memoryKind: 'unknown',
    driverVersion: null,
    driverModel: null,
    virtualization: null,
    mig: null,
  });

  function detection(devices: readonly GpuDevice[], used: readonly number[]): Detection {
    const header = 'uuid, memory.used [MiB]\n';
    const rows = used.map((mib, index) => `GPU-${index}, ${mib}`).join('\n');
    const output = { stdout: header + rows, stderr: '', exitCode: 0 };
    const { samples } = nvidiaSmi.read(nvidiaSmi.query([]), output, 0);
    return { devices, samples, processes: null, source: null, error: null, warnings: [] };
  }

  it('are one when they are equal and equally busy, the freest first', () => {
    const devices = [0, 1, 2, 3].map(index => device(index, 'NVIDIA A100-SXM4-40GB', 40960));
    const targets = presentTargets(detection(devices, [30_000, 4, 600, 30_100]), catalog);
    assert.deepEqual(
      targets.map(target => [target.name, target.count, target.busyMiB]),
      [
        ['A100 SXM4 40GB', 2, 600],
        ['A100 SXM4 40GB', 2, 30_100],
      ],
    );
  });

  it('need not be in the catalog, but need a known memory', () => {
    const devices = [device(0, 'GRID T4-4C', 4096), device(1, 'NVIDIA Something New', null)];
    const targets = presentTargets(detection(devices, [0, 0]), catalog);
    assert.deepEqual(
      targets.map(target => [target.name, target.totalMiB, target.gpu]),
      [['GRID T4-4C', 4096, null]],
    );
  });
});

import assert from 'node:assert/strict';
import type { GpuDevice } from '../../../src/gpu/device';
import type { Capacity, Host, HostReading, HostState, HostWatch } from '../../../src/gpu/fleet';
import { askHosts, hostPlaces } from '../../../src/gpu/places';
import { blankSample } from '../../../src/gpu/sample';
import { nodeTimers } from '../../../src/gpu/timers';
import { theGpus } from '../core/support';

const BOX: Host = { id: 'ssh:box', kind: 'ssh', name: 'box' };
const HPC: Host = { id: 'slurm:hpc', kind: 'slurm', name: 'hpc' };

const device = (index: number): GpuDevice => ({
  key: `GPU-${index}`,
  vendor: 'nvidia',
  index,
  uuid: `GPU-${index}`,
  pciBusId: null,
  name: 'NVIDIA A100-SXM4-80GB',
  memoryTotalMiB: 81_920,
  memoryKind: 'dedicated',
  driverVersion: null,
  driverModel: null,
  virtualization: null,
  mig: null,
});

function read(host: Host, state: HostState, more: Partial<HostReading> = {}): HostReading {
  const quiet = { message: null, todo: null, text: null, sinceMs: 0, nextTryMs: null };
  const status = { ...quiet, state, collector: null, latencyMs: null };
  return { host, status, devices: [], samples: [], processes: null, machine: null, capacities: [], ...more };
}

const busy = (index: number, memoryUsedMiB: number) => blankSample(`GPU-${index}`, 0, { memoryUsedMiB });

const box = read(BOX, 'live', {
  devices: [0, 1, 2, 3].map(device),
  samples: [busy(0, 100), busy(1, 120), busy(2, 40_000), busy(3, 100)],
  machine: { cpuPct: null, memoryTotalMiB: 512_000, memoryUsedMiB: null },
});

describe('places of hosts', () => {
  it('are groups of equal GPUs, about equally busy, the freest first', () => {
    const places = hostPlaces([box], theGpus);
    const said = places.map(({ where, gpus, target }) => [where, gpus, target.name, target.busyMiB]);
    assert.deepEqual(said, [
      ['box', 3, 'A100 SXM4 80GB', 120],
      ['box', 1, 'A100 SXM4 80GB', 40_000],
    ]);
    assert.equal(places[0]?.target.hostMiB, 512_000);
    assert.equal(new Set(places.map(({ id }) => id)).size, 2);
  });

  it('are what a cluster has of each type, with what was taken for granted', () => {
    const capacity = (gpu: string | null, more: Partial<Capacity> = {}): Capacity => ({
      place: 'gpu',
      gpu,
      memoryMiB: null,
      nodes: 2,
      gpusTotal: 8,
      gpusFree: 3,
      note: null,
      ...more,
    });
    const capacities = [
      capacity('h200', { note: '1 node drained' }),
      capacity('a100'),
      capacity(null),
      capacity('quantum'),
    ];
    const places = hostPlaces([read(HPC, 'live', { capacities })], theGpus);
    assert.deepEqual(
      places.map(({ where, gpus, free, target, note }) => [where, gpus, free, target.name, note]),
      [
        ['hpc, gpu', 8, 3, 'H200', '1 node drained'],
        ['hpc, gpu', 8, 3, places[1]?.target.name, '“a100” is taken as the smallest GPU of that name'],
      ],
    );
    assert.ok((places[1]?.target.totalMiB ?? 0) <= 40_960);
    assert.equal(places[0]?.target.count, null);
  });
});

/** A host that answers when the test decides. */
class FakeWatch implements HostWatch {
  reading: HostReading;
  holds = 0;
  private readonly listeners = new Set<(reading: HostReading) => void>();

  constructor(readonly host: Host) {
    this.reading = read(host, 'idle');
  }

  on(listener: (reading: HostReading) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  hold(): () => void {
    this.holds++;
    return () => {
      this.holds--;
    };
  }

  tell(reading: HostReading): void {
    this.reading = reading;
    for (const listener of this.listeners) listener(reading);
  }

  get isHeard(): boolean {
    return this.listeners.size > 0;
  }

  retry(): void {
    this.tell(read(this.host, 'connecting'));
  }

  dispose(): void {
    this.listeners.clear();
  }
}

describe('asking hosts', () => {
  it('waits until each has said what it has, and looks only meanwhile', async () => {
    const watch = new FakeWatch(BOX);
    const answer = askHosts([watch], 60_000, nodeTimers);
    assert.equal(watch.holds, 1);
    watch.tell(read(BOX, 'connecting'));
    watch.tell(read(BOX, 'live', { devices: box.devices }));
    assert.equal(watch.holds, 1);
    watch.tell(box);
    assert.deepEqual(await answer, [box]);
    assert.deepEqual([watch.holds, watch.isHeard], [0, false]);
  });

  it('takes a failure for an answer', async () => {
    const watch = new FakeWatch(BOX);
    const answer = askHosts([watch], 60_000, nodeTimers);
    watch.tell(read(BOX, 'auth-needed'));
    assert.equal((await answer)[0]?.status.state, 'auth-needed');
  });

  it('does not wait for ever', async () => {
    const late: (() => void)[] = [];
    const timers = {
      now: () => 0,
      after(_: number, call: () => void) {
        late.push(call);
        return () => undefined;
      },
    };
    const watch = new FakeWatch(BOX);
    const answer = askHosts([watch], 8000, timers);
    late.forEach(call => call());
    assert.equal((await answer)[0]?.status.state, 'idle');
    assert.deepEqual([watch.holds, watch.isHeard], [0, false]);
  });
});

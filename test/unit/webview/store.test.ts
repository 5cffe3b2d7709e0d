import assert from 'node:assert/strict';
import { hostCard, hostTick } from '../../../src/panel/page/cards';
import type { ToPage } from '../../../src/panel/page/protocol';
import { DEFAULT_VIEW, viewStateOf } from '../../../src/panel/page/viewState';
import { arrange } from '../../../webview/arrange';
import { Store } from '../../../webview/store';
import {
  NOW_MS,
  idle,
  local,
  nvidia,
  onDevice,
  readingAt,
  sceneHost,
  ssh,
  status,
  training,
} from '../../webview/scenes';
import type { SceneHost } from '../../webview/scenes';

const two = [nvidia(0, 'NVIDIA A100', 40_960), nvidia(1, 'NVIDIA A100', 40_960)] as const;
const here = sceneHost(local, [
  {
    device: two[0],
    load: idle(500, 400),
    processes: [onDevice(two[0], 11, { user: 'ann', memoryUsedMiB: 400 })],
  },
  { device: two[1], load: training(30_000, 400), processes: [] },
]);
const there = sceneHost(ssh('node2'), [{ device: two[0], load: idle(500, 400), processes: [] }]);
const [first, second, remote] = [
  'local/gpu-NVIDIAA100-0',
  'local/gpu-NVIDIAA100-1',
  'ssh:node2/gpu-NVIDIAA100-0',
];

function hydrate(...hosts: readonly SceneHost[]): ToPage {
  return {
    type: 'hydrate',
    nowMs: NOW_MS,
    view: DEFAULT_VIEW,
    hosts: hosts.map(host => hostCard(readingAt(host, 0))),
    prediction: null,
    absence: null,
  };
}

function filled(): Store {
  const store = new Store();
  store.apply(hydrate(here, there));
  return store;
}

const shown = (store: Store): readonly string[] =>
  arrange(store.hosts.values(), store.latest, store.view).groups.flatMap(({ id, devices }) => [
    id,
    ...devices.map(device => `${device.index}`),
  ]);

describe("the panel's store", () => {
  it('takes everything at first', () => {
    const store = filled();
    assert.deepEqual([...store.hosts.keys()], ['local', 'ssh:node2']);
    assert.equal(store.latest.get(first)?.memoryUsedMiB, 500);
    assert.equal(store.hostOf(remote)?.name, 'node2');
  });

  it('takes ticks without touching the rest, and adds them to what is drawn', () => {
    const store = filled();
    const columns = { memoryUsedMiB: [1, 2], utilPct: [null, 3], tempC: [4, 5], powerW: [6, 7] };
    const series = { [first]: { timesMs: [NOW_MS - 2000, NOW_MS - 1000], columns } };
    store.apply({ type: 'history', nowMs: NOW_MS, windowMs: DEFAULT_VIEW.windowMs, series });
    const before = store.hosts.get('local');
    const change = store.apply({ type: 'tick', nowMs: NOW_MS + 1000, hosts: [hostTick(readingAt(here, 1))] });
    assert.deepEqual(change.ticked, ['local']);
    assert.equal(change.structure, false);
    assert.equal(store.hosts.get('local'), before);
    assert.deepEqual(store.series.get(first)?.columns.memoryUsedMiB, [1, 2, 500]);
    assert.deepEqual(store.series.get(first)?.columns.utilPct, [null, 3, 0]);
  });

  it('drops the past of another window', () => {
    const store = filled();
    store.setView({ windowMs: 60_000 });
    const columns = { memoryUsedMiB: [1], utilPct: [1], tempC: [1], powerW: [1] };
    const series = { [first]: { timesMs: [NOW_MS], columns } };
    store.apply({ type: 'history', nowMs: NOW_MS, windowMs: 300_000, series });
    assert.equal(store.series.has(first), false);
  });

  it('forgets a host with all that was of it', () => {
    const store = filled();
    assert.equal(store.apply({ type: 'gone', hosts: ['ssh:node2'] }).structure, true);
    assert.equal(store.devices.has(remote), false);
    assert.equal(store.latest.has(remote), false);
    assert.equal(store.hostOf(remote), null);
  });

  it('forgets a device that its host no longer has', () => {
    const store = filled();
    const one = { ...here, devices: here.devices.slice(1) };
    const change = store.apply({ type: 'hosts', nowMs: NOW_MS, hosts: [hostCard(readingAt(one, 0))] });
    assert.equal(change.structure, true);
    assert.deepEqual([store.devices.has(first), store.devices.has(second)], [false, true]);
  });

  it('reports which hosts changed state', () => {
    const store = filled();
    const down = { ...there, status: status('unreachable') };
    const change = store.apply({ type: 'hosts', nowMs: NOW_MS, hosts: [hostCard(readingAt(down, 0))] });
    assert.equal(change.structure, false);
    assert.deepEqual(
      store.turns.map(({ host, from }) => [host.name, from, host.status.state]),
      [['node2', 'live', 'unreachable']],
    );
    store.apply({ type: 'prediction', prediction: null });
    assert.deepEqual(store.turns, []);
  });
});

describe("the panel's order", () => {
  it('is host by host, this machine first', () => {
    assert.deepEqual(shown(filled()), ['local', '0', '1', 'ssh:node2', '0']);
  });

  it('puts pinned devices on top', () => {
    const store = filled();
    assert.equal(store.toggle('pinned', remote), true);
    assert.deepEqual(shown(store), ['pinned', '0', 'local', '0', '1', 'ssh:node2']);
    assert.equal(store.toggle('pinned', remote), false);
    assert.deepEqual(shown(store), ['local', '0', '1', 'ssh:node2', '0']);
  });

  it('sorts within a host by what is read', () => {
    const store = filled();
    store.setView({ sort: 'memory' });
    assert.deepEqual(shown(store), ['local', '1', '0', 'ssh:node2', '0']);
  });

  it('filters by host, name, number and who is on it; every word has to match', () => {
    const store = filled();
    const filtered = (filter: string): readonly string[] => {
      store.setView({ filter });
      return shown(store);
    };
    assert.deepEqual(filtered('node2'), ['ssh:node2', '0']);
    assert.deepEqual(filtered('a100 ANN'), ['local', '0']);
    assert.deepEqual(filtered('local #1'), ['local', '1']);
    assert.deepEqual(filtered('h100'), []);
    assert.equal(arrange(store.hosts.values(), store.latest, store.view).total, 3);
  });

  it('keeps a host that has no devices: it has something to say', () => {
    const store = new Store();
    store.apply(hydrate(sceneHost(ssh('lab'), [], { status: status('auth-needed') })));
    assert.deepEqual(shown(store), ['ssh:lab']);
  });
});

describe('a kept view', () => {
  it('is taken as it is where it is right', () => {
    const view = { ...DEFAULT_VIEW, windowMs: 60_000, sort: 'power' as const, filter: 'a', pinned: ['x'] };
    assert.deepEqual(viewStateOf(JSON.parse(JSON.stringify(view))), view);
  });

  it('is made safe where it is not', () => {
    for (const kept of [
      null,
      7,
      'x',
      [],
      { windowMs: -1, sort: 'x', filter: {}, collapsed: 'no', pinned: [1] },
    ]) {
      assert.deepEqual(viewStateOf(kept), DEFAULT_VIEW);
    }
    assert.equal(viewStateOf({ filter: 'x'.repeat(9999) }).filter.length, 200);
  });
});

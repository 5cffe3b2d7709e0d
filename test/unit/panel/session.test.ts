import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Prediction } from '../../../src/core/analyse/prediction';
import type { HostReading } from '../../../src/gpu/fleet';
import { fromPage } from '../../../src/panel/page/session';
import type { ToPage } from '../../../src/panel/page/protocol';
import { PanelSession } from '../../../src/panel/page/session';
import { DEFAULT_VIEW, viewStateOf } from '../../../src/panel/page/viewState';
import { HandTimers } from '../../webview/handTimers';
import { MemoryFleet } from '../../webview/memoryFleet';
import {
  idle,
  local,
  NOW_MS,
  nvidia,
  onDevice,
  readingAt,
  sceneHost,
  ssh,
  status,
} from '../../webview/scenes';
import type { SceneHost } from '../../webview/scenes';

const gpu = nvidia(0, 'NVIDIA H100 80GB HBM3', 81_559);
const ID = `ssh:box/${gpu.key}`;
const held = onDevice(gpu, 7106, { memoryUsedMiB: 40_960, user: 'carol', name: 'jupyter-kernel' });
const here = sceneHost(local, [
  { device: nvidia(0, 'NVIDIA GeForce RTX 4090', 24_564), load: idle(4, 450), processes: [] },
]);
const box = sceneHost(ssh('box'), [{ device: gpu, load: idle(41_500, 700), processes: [held] }]);

/** A session whose page is a list of messages. */
class Served {
  readonly fleet = new MemoryFleet();
  readonly timers = new HandTimers(NOW_MS);
  readonly told: ToPage[] = [];
  readonly asked: unknown[] = [];
  readonly session: PanelSession;
  private second = 0;

  constructor(
    private readonly hosts: readonly SceneHost[],
    isRestricted = false,
  ) {
    for (const host of hosts) this.fleet.set(readingAt(host, 0));
    const note = (name: string) => (value: unknown) => void this.asked.push([name, value]);
    this.session = new PanelSession({
      fleet: isRestricted ? null : this.fleet,
      timers: this.timers,
      view: () => ({ ...DEFAULT_VIEW, filter: 'kept' }),
      prediction: () => null,
      actions: {
        keepView: note('view'),
        fix: ({ rule }) => void this.asked.push(['fix', rule]),
        copy: hosts =>
          void this.asked.push(['copy', hosts.flatMap(({ devices }) => devices.map(({ id }) => id))]),
        terminal: note('terminal'),
        command: note('command'),
      },
      post: message => void this.told.push(message),
    });
  }

  /** Advances the time, with a reading per host and second. */
  tick(seconds = 1): void {
    for (let i = 0; i < seconds; i++) {
      this.second += 1;
      this.timers.to(NOW_MS + this.second * 1000);
      for (const host of this.hosts) this.fleet.set(readingAt(host, this.second));
      this.timers.to(NOW_MS + this.second * 1000 + 100);
    }
  }

  change(host: SceneHost, change: Partial<HostReading>): void {
    this.fleet.set({ ...readingAt(host, this.second), ...change });
    this.timers.to(this.timers.now() + 100);
  }

  /** The messages since the last call. */
  news(): readonly ToPage[] {
    return this.told.splice(0);
  }
}

const types = (messages: readonly ToPage[]) => messages.map(({ type }) => type);

describe('panel: a session with a page', () => {
  it('sends nothing before the page is ready, then everything at once', () => {
    const served = new Served([here, box]);
    served.tick(2);
    assert.deepEqual(served.news(), []);
    served.session.receive({ type: 'ready' });
    const [first, ...more] = served.news();
    assert.ok(first?.type === 'hydrate' && more.length === 0);
    assert.deepEqual(
      first.hosts.map(({ id, devices }) => [id, devices.length, devices[0]?.now?.tempC !== null]),
      [
        ['local', 1, true],
        ['ssh:box', 1, true],
      ],
    );
    assert.deepEqual([first.view.filter, first.absence], ['kept', null]);
  });

  it('says why there is nothing to show', () => {
    const restricted = new Served([], true);
    restricted.session.receive({ type: 'ready' });
    const none = new Served([]);
    none.session.receive({ type: 'ready' });
    const absences = [...restricted.news(), ...none.news()].map(one => one.type === 'hydrate' && one.absence);
    assert.deepEqual(absences, ['restricted', 'none']);
  });

  it('batches events, and sends hosts only when they changed', () => {
    const served = new Served([here, box]);
    served.session.receive({ type: 'ready' });
    served.news();
    served.tick(3);
    const ticks = served.news();
    assert.deepEqual(types(ticks), ['tick', 'tick', 'tick']);
    assert.ok(ticks.every(one => one.type === 'tick' && one.hosts.length === 2));
    served.change(box, { status: status('stale', { message: 'Nothing came.' }) });
    const [changed] = served.news();
    assert.ok(changed?.type === 'hosts');
    assert.deepEqual(
      changed.hosts.map(({ id, status: { state } }) => [id, state]),
      [['ssh:box', 'stale']],
    );
  });

  it('requests readings of all hosts while it lasts', () => {
    const served = new Served([here, box]);
    assert.deepEqual([served.fleet.holds('local'), served.fleet.holds('ssh:box')], [1, 1]);
    served.session.receive({ type: 'ready' });
    served.news();
    served.session.dispose();
    assert.deepEqual([served.fleet.holds('local'), served.fleet.holds('ssh:box')], [0, 0]);
    served.tick(20);
    assert.deepEqual(served.news(), []);
  });

  it('reports added and removed hosts', () => {
    const served = new Served([here]);
    served.session.receive({ type: 'ready' });
    served.news();
    served.fleet.set(readingAt(box, 0));
    served.timers.to(NOW_MS + 200);
    assert.deepEqual(types(served.news()), ['hosts', 'tick']);
    served.fleet.remove('ssh:box');
    assert.deepEqual(served.news(), [{ type: 'gone', hosts: ['ssh:box'] }]);
    served.fleet.remove('local');
    const [, empty] = served.news();
    assert.ok(empty?.type === 'hydrate' && empty.absence === 'none');
  });

  it('sends the history of the requested devices', () => {
    const served = new Served([here, box]);
    served.session.receive({ type: 'ready' });
    served.tick(10);
    served.news();
    served.session.receive({ type: 'history', windowMs: 60_000, devices: [ID, 'nowhere'] });
    const [past] = served.news();
    assert.ok(past?.type === 'history');
    assert.equal(past.series[ID]?.timesMs.length, 11);
    assert.equal(past.series['nowhere']?.timesMs.length, 0);
    served.session.receive({ type: 'history', windowMs: 61_000, devices: [ID] });
    assert.deepEqual(served.news(), []);
  });

  it('retries the named host, or all that do not answer', () => {
    const served = new Served([here, sceneHost(ssh('lab'), [], { status: status('auth-needed', {}) })]);
    served.session.receive({ type: 'retry', host: 'ssh:lab' });
    served.session.retry();
    assert.deepEqual([served.fleet.retries('ssh:lab'), served.fleet.retries('local')], [2, 0]);
  });

  it('passes actions on, and opens terminals only to known hosts', () => {
    const served = new Served([here, box]);
    served.session.receive({ type: 'terminal', host: 'ssh:box' });
    served.session.receive({ type: 'terminal', host: 'ssh:-oProxyCommand=x' });
    served.session.receive({ type: 'command', command: 'addHost' });
    served.session.receive({ type: 'command', command: 'workbench.action.quit' });
    served.session.receive({ type: 'copy', devices: [ID] });
    assert.deepEqual(served.asked, [
      ['terminal', 'ssh:box'],
      ['command', 'addHost'],
      ['copy', [ID]],
    ]);
  });

  it('gives advice after a while, and accepts none from a page', () => {
    const served = new Served([box]);
    served.session.receive({ type: 'ready' });
    served.tick(180);
    const hosts = served.news().flatMap(one => (one.type === 'hosts' ? one.hosts : []));
    const advice = hosts.at(-1)?.devices[0]?.advice ?? [];
    assert.deepEqual(
      advice.map(({ rule }) => rule),
      ['held-idle'],
    );
    served.session.receive({ type: 'fix', device: ID, rule: 'held-idle' });
    served.session.receive({ type: 'fix', device: ID, rule: 'rm -rf' });
    assert.deepEqual(served.asked, [['fix', 'held-idle']]);
  });

  it('says nothing about the load of a partitioned GPU', () => {
    const mig = nvidia(0, 'NVIDIA A100-SXM4-40GB', 40_960, { mig: { enabled: true, instances: [] } });
    const split = sceneHost(ssh('mig'), [{ device: mig, load: idle(41_500, 700), processes: [held] }]);
    const served = new Served([split]);
    served.session.receive({ type: 'ready' });
    served.tick(180);
    assert.deepEqual(
      served.session.cards().flatMap(({ devices }) => devices.flatMap(({ advice }) => advice)),
      [],
    );
  });

  it('sends a new prediction once the page is ready', () => {
    const served = new Served([here]);
    const prediction = { config: 'a.yml', file: 'file:///a.yml', run: '' } as Prediction;
    served.session.predicted(prediction);
    served.session.receive({ type: 'ready' });
    served.news();
    served.session.predicted(prediction);
    assert.deepEqual(served.news(), [{ type: 'prediction', prediction }]);
  });
});

describe('panel: a message from a page', () => {
  it('is one of the known messages, or ignored', () => {
    const words = fc.constantFrom('ready', 'view', 'history', 'retry', 'terminal', 'fix', 'copy', 'command');
    const message = fc.record({ type: words }, { noNullPrototype: true });
    const served = new Served([here]);
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          fc.tuple(message, fc.object()).map(([a, b]) => ({ ...b, ...a })),
        ),
        given => {
          served.session.receive(given);
          const read = fromPage(given);
          assert.ok(read === null || typeof read.type === 'string');
        },
      ),
    );
  });

  it('keeps a valid view, and reads it back unchanged', () => {
    fc.assert(
      fc.property(fc.anything(), kept => {
        const view = viewStateOf(kept);
        assert.deepEqual(viewStateOf(JSON.parse(JSON.stringify(view))), view);
      }),
    );
  });
});

import assert from 'node:assert/strict';
import { connect, createServer } from 'node:net';
import type { Server } from 'node:net';
import type { HostReading, HostState, HostWatch } from '../../../src/gpu/fleet';
import { openFleet } from '../../../src/gpu/openFleet';
import type { OpenFleet } from '../../../src/gpu/openFleet';
import { pause, processesWith, signal, until } from '../processes';
import { freePort, listening, ONE_GPU, SshBench, whyNoSshd } from './sshd';
import type { Sshd } from './sshd';
import { skipFor } from '../../skipFor';

const SECOND = 1000;
const NAME = 'NVIDIA GeForce RTX 4080 SUPER';

describe('services: hosts over SSH', function () {
  let bench: SshBench;
  let fleet: OpenFleet | null = null;
  const reason = whyNoSshd();

  before(function () {
    skipFor(reason, this);
    bench = new SshBench();
  });

  afterEach(async () => {
    fleet?.dispose();
    fleet = null;
    // Nothing of a host remains, locally or remotely.
    await until(
      () => processesWith(bench.folder).every(isServer),
      () => processesWith(bench.folder),
    );
  });

  after(async () => {
    if (reason !== null) return;
    await bench.end();
    assert.deepEqual(processesWith(bench.folder), []);
  });

  const servers = new Set<number>();
  const isServer = (pid: number) => servers.has(pid);

  async function serve(...args: Parameters<SshBench['serve']>): ReturnType<SshBench['serve']> {
    const server = await bench.serve(...args);
    for (const pid of processesWith(bench.folder)) servers.add(pid);
    return server;
  }

  async function restart(server: Sshd, other: Parameters<Sshd['start']>[0] = {}): Promise<void> {
    await server.start(other);
    for (const pid of processesWith(bench.folder)) servers.add(pid);
  }

  function open(...aliases: readonly string[]): readonly HostWatch[] {
    fleet = openFleet({
      executables: {},
      intervalMs: SECOND,
      ssh: { configFile: bench.configFile, connectSeconds: 2, aliveSeconds: 1 },
      hosts: aliases.map(alias => ({ kind: 'ssh', alias, name: alias })),
    });
    return fleet.watches().slice(1);
  }

  function openOne(alias: string): { watch: HostWatch; states: HostState[]; readings: HostReading[] } {
    const [watch] = open(alias);
    assert.ok(watch);
    const readings: HostReading[] = [];
    const states: HostState[] = [];
    watch.on(reading => {
      readings.push(reading);
      if (states.at(-1) !== reading.status.state) states.push(reading.status.state);
    });
    watch.hold();
    return { watch, states, readings };
  }

  const reaches = (watch: HostWatch, state: HostState, ms?: number) =>
    until(
      () => watch.reading.status.state === state,
      () => watch.reading.status,
      ms,
    );

  it('connect, and stream samples, processes, load and the host name', async () => {
    await serve('gpu', ONE_GPU);
    const { watch, states, readings } = openOne('gpu');
    await reaches(watch, 'live');
    const isWhole = () => watch.reading.machine !== null && watch.reading.status.latencyMs !== null;
    await until(isWhole, () => watch.reading);
    assert.deepEqual(states, ['connecting', 'live']);
    const { devices, samples, processes, machine, status, hostName } = watch.reading;
    assert.deepEqual([devices.length, devices[0]?.name], [1, NAME]);
    assert.ok((samples[0]?.memoryUsedMiB ?? 0) > 0);
    assert.equal(processes?.length, 3);
    assert.ok((machine?.memoryTotalMiB ?? 0) > 0);
    assert.equal(status.collector, 'nvidia-smi stream');
    assert.ok(hostName);
    const ticks = readings.length;
    await pause(2500);
    assert.ok(readings.length >= ticks + 2);
    const [id = ''] = fleet?.history.devices() ?? [];
    assert.ok(id.startsWith('ssh:gpu/'));
    assert.ok((fleet?.history.series(id, 'tempC', 0).values.length ?? 0) >= 2);
  });

  it('keep one connection for everything', async () => {
    const server = await serve('one', ONE_GPU);
    const { watch } = openOne('one');
    await reaches(watch, 'live');
    await pause(1500);
    assert.equal(processesWith(`-- one sh`.replaceAll(' ', '\0')).length, 1);
    assert.ok(server.sessions().length > 0);
  });

  it('end everything on the other side when nobody watches, even silent processes', async () => {
    const server = await serve('silent', { hang: 600_000, yields: true });
    const { watch } = openOne('silent');
    await until(
      () => processesWith('silent.json').some(pid => !isServer(pid)),
      () => watch.reading,
    );
    await pause(500);
    fleet?.dispose();
    await until(
      () => server.sessions().length === 0,
      () => server.sessions(),
    );
  });

  it('end everything on the other side when ssh is killed', async () => {
    const server = await serve('killed', ONE_GPU);
    const { watch } = openOne('killed');
    await reaches(watch, 'live');
    const [ssh] = processesWith('--\0killed\0sh');
    assert.ok(ssh !== undefined);
    signal([ssh], 'SIGKILL');
    await reaches(watch, 'unreachable');
    await until(
      () => server.sessions().length === 0,
      () => server.sessions(),
    );
  });

  it('reject a host with an unknown key, and say what to do', async () => {
    const server = await serve('known', ONE_GPU);
    bench.knows('unknown', server.port, null);
    const { watch, states } = openOne('unknown');
    await reaches(watch, 'hostkey-unknown');
    assert.match(watch.reading.status.todo ?? '', /Run `ssh unknown` in a terminal once/);
    assert.equal(watch.reading.status.nextTryMs, null);
    await pause(1500);
    assert.deepEqual(states, ['connecting', 'hostkey-unknown']);
  });

  it('reject a host whose key has changed', async () => {
    const server = await serve('was', ONE_GPU);
    bench.knows('changed', server.port, 'stranger');
    const { watch } = openOne('changed');
    await reaches(watch, 'hostkey-changed');
    assert.match(watch.reading.status.message ?? '', /The host key of changed has changed/);
  });

  it('ask for a login if the key is refused, and connect on retry', async () => {
    const server = await serve('login', ONE_GPU, { key: 'stranger' });
    const { watch } = openOne('login');
    await reaches(watch, 'auth-needed');
    assert.match(watch.reading.status.text ?? '', /Permission denied/);
    assert.match(watch.reading.status.todo ?? '', /ssh-add/);
    await server.stop();
    await restart(server, { key: 'id' });
    watch.retry();
    await reaches(watch, 'live');
  });

  it('notice a cut connection and reconnect', async () => {
    const server = await serve('cut', ONE_GPU);
    const { watch, states } = openOne('cut');
    await reaches(watch, 'live');
    signal(server.sessions(), 'SIGKILL');
    await reaches(watch, 'unreachable');
    assert.ok((watch.reading.status.nextTryMs ?? 0) > Date.now());
    assert.equal(watch.reading.devices.length, 1);
    await reaches(watch, 'live');
    assert.deepEqual(states, ['connecting', 'live', 'unreachable', 'connecting', 'live']);
  });

  it('notice a server that is connected but silent', async () => {
    const server = await serve('frozen', ONE_GPU);
    const { watch } = openOne('frozen');
    await reaches(watch, 'live');
    const frozen = server.sessions();
    signal(frozen, 'SIGSTOP');
    await reaches(watch, 'unreachable');
    signal(frozen, 'SIGCONT');
  });

  it('wait for a stopped sshd, and connect when it is restarted', async () => {
    const server = await serve('stopped', ONE_GPU);
    const { watch } = openOne('stopped');
    await reaches(watch, 'live');
    await server.stop();
    await until(
      () => (watch.reading.status.message ?? '').includes('refuses'),
      () => watch.reading.status,
    );
    await restart(server);
    watch.retry();
    await reaches(watch, 'live');
  });

  it('report that nothing listens or that the host does not exist, and keep trying', async () => {
    bench.knows('nobody', await freePort(), 'host');
    const { watch } = openOne('nobody');
    await reaches(watch, 'unreachable');
    assert.match(watch.reading.status.message ?? '', /refuses SSH connections/);
    assert.ok((watch.reading.status.nextTryMs ?? 0) > Date.now());
  });

  it('report a missing tool, and leave', async () => {
    const server = await serve('bare', null);
    const { watch } = openOne('bare');
    await reaches(watch, 'no-tool');
    assert.match(watch.reading.status.message ?? '', /^No GPU and no GPU tool found/);
    await until(
      () => server.sessions().length === 0,
      () => server.sessions(),
    );
  });

  it('report what the driver says', async () => {
    const answers = [{ when: '--query-gpu', file: 'nv-err-nodriver.txt', exitCode: 9 }];
    await serve('broken', { answers });
    const { watch } = openOne('broken');
    await reaches(watch, 'driver-error');
    assert.equal(watch.reading.status.errorKind, 'driver-not-loaded');
  });

  it('give up on a hung tool', async function () {
    this.timeout(60_000);
    await serve('hung', { hang: 25_000 });
    const { watch } = openOne('hung');
    await reaches(watch, 'driver-error', 40_000);
    assert.equal(watch.reading.status.errorKind, 'timed-out');
  });

  it('do not wait forever for a banner, and accept a slow one', async () => {
    const server = await serve('quick', ONE_GPU);
    const silent = createServer(socket => socket.on('error', () => undefined));
    bench.knows('mute', await listening(silent), 'host');
    const { watch } = openOne('mute');
    await reaches(watch, 'unreachable');
    assert.match(watch.reading.status.message ?? '', /does not answer/);
    fleet?.dispose();
    silent.close();
    const slow = delayed(server.port, 1200);
    bench.knows('slow', await listening(slow), 'host');
    const second = openOne('slow');
    await reaches(second.watch, 'live');
    fleet?.dispose();
    slow.close();
  });

  it('read 16 hosts at once', async function () {
    this.timeout(60_000);
    const aliases = Array.from({ length: 16 }, (_, at) => `node${at}`);
    for (const alias of aliases) await serve(alias, ONE_GPU);
    const watches = open(...aliases);
    for (const watch of watches) watch.hold();
    const live = () => watches.filter(({ reading }) => reading.status.state === 'live').length;
    await until(() => live() === 16, live, 45_000);
    assert.equal(fleet?.history.devices().length, 16);
  });

  it('are read again after a reload, without a host that was removed', async () => {
    const server = await serve('reload', ONE_GPU);
    const first = openOne('reload');
    await reaches(first.watch, 'live');
    fleet?.dispose();
    const second = openOne('reload');
    await reaches(second.watch, 'live');
    fleet?.setHosts([]);
    await until(
      () => server.sessions().length === 0,
      () => server.sessions(),
    );
    assert.equal(fleet?.watches().length, 1);
  });
});

/** Forwards everything to a server with a delay. */
function delayed(port: number, ms: number): Server {
  return createServer(socket => {
    const onward = connect(port, '127.0.0.1');
    socket.on('error', () => onward.destroy());
    onward.on('error', () => socket.destroy());
    socket.pipe(onward);
    void pause(ms).then(() => onward.pipe(socket));
  });
}

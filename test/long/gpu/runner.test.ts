import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adaptersOf } from '../../../src/gpu/adapters';
import { Backoff, nodeTimers } from '../../../src/gpu/timers';
import { samePciBusId, shortBusId } from '../../../src/gpu/device';
import { nodeLaunch } from '../../../src/gpu/launch';
import { ToolRunner } from '../../../src/gpu/runner';
import { LinuxSleepWatch } from '../../../src/gpu/sleep';

const node = process.execPath;
const runner = () => new ToolRunner(node, nodeLaunch, nodeTimers);

/** Whether a process exists. */
const isThere = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a tool that does not end when it is asked to', () => {
  it('is killed after a while', async function () {
    if (process.platform === 'win32') return this.skip();
    const deaf = new ToolRunner('/bin/sh', nodeLaunch, nodeTimers);
    const pid = await new Promise<number>(done => {
      const script = 'trap "" TERM; echo $$; while :; do sleep 0.1; done';
      deaf.stream(['-c', script], { line: text => done(Number(text)), end: () => undefined });
    });
    assert.ok(isThere(pid));
    deaf.dispose();
    await new Promise(done => setTimeout(done, 200));
    assert.ok(isThere(pid), 'it gets the time to end by itself');
    while (isThere(pid)) await new Promise(done => setTimeout(done, 50));
  });
});

describe('gpu: running a tool', () => {
  it('gives everything it printed and how it ended', async () => {
    const run = await runner().run(
      ['-e', 'console.log("a"); console.error("b"); process.exitCode = 9'],
      5000,
    );
    assert.deepEqual(run, { ok: true, output: { stdout: 'a\n', stderr: 'b\n', exitCode: 9 } });
  });

  it('passes arguments as they are, to no shell', async () => {
    const odd = ['$(echo x)', '; echo y', '"', "'", '%PATH%'];
    const run = await runner().run(
      ['-e', 'console.log(JSON.stringify(process.argv.slice(1)))', ...odd],
      5000,
    );
    assert.ok(run.ok);
    assert.deepEqual(JSON.parse(run.output.stdout), odd);
  });

  it('says that there is no such program', async () => {
    const missing = new ToolRunner(join(tmpdir(), 'headroom-no-such-tool'), nodeLaunch, nodeTimers);
    assert.deepEqual(await missing.run([], 5000), { ok: false, why: 'not-found' });
    assert.equal(missing.isBusy, false);
    const nowhere = new ToolRunner('headroom-no-such-tool', nodeLaunch, nodeTimers);
    assert.deepEqual(await nowhere.run([], 5000), { ok: false, why: 'not-found' });
    const onPath = new ToolRunner('node', nodeLaunch, nodeTimers);
    assert.ok((await onPath.run(['-e', ''], 5000)).ok);
    const folder = new ToolRunner(tmpdir(), nodeLaunch, nodeTimers);
    assert.deepEqual(await folder.run([], 5000), { ok: false, why: 'not-started' });
    const impossible = new ToolRunner(node, nodeLaunch, nodeTimers);
    assert.deepEqual(await impossible.run(['\0'], 5000), { ok: false, why: 'not-started' });
  });

  it('stops waiting, asks it to end, and is busy until it has', async () => {
    const one = runner();
    const stubborn =
      'process.on("SIGTERM", () => setTimeout(() => process.exit(), 150)); setInterval(() => 0, 1000)';
    assert.deepEqual(await one.run(['-e', `console.log("up");${stubborn}`], 400), {
      ok: false,
      why: 'timed-out',
    });
    assert.deepEqual(await one.run(['-e', ''], 5000), { ok: false, why: 'busy' });
    while (one.isBusy) await new Promise(resolve => setTimeout(resolve, 10));
    assert.equal((await one.run(['-e', ''], 5000)).ok, true);
  });

  it('gives up on output without end', async () => {
    const endless =
      'const t = "x".repeat(1e6); const go = () => { while (process.stdout.write(t)); process.stdout.once("drain", go); }; go()';
    assert.deepEqual(await runner().run(['-e', endless], 9000), { ok: false, why: 'timed-out' });
  });

  it('streams whole lines and ends when asked', async () => {
    const one = runner();
    const lines: string[] = [];
    const code =
      'process.stdout.write("a\\r\\nb"); setTimeout(() => process.stdout.write("c\\n"), 20); setInterval(() => 0, 1000)';
    await new Promise<void>(resolve => {
      const stream = one.stream(['-e', code], {
        line: text => {
          lines.push(text);
          if (lines.length === 2) stream?.stop();
        },
        end: () => resolve(),
      });
      assert.equal(one.stream(['-e', ''], { line: () => undefined, end: () => undefined }), null);
    });
    assert.deepEqual(lines, ['a', 'bc']);
    assert.equal(one.isBusy, false);
  });
});

describe('gpu: sleeping GPUs', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'headroom-pci-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function pci(address: string, files: Readonly<Record<string, string>>): void {
    mkdirSync(join(folder, address, 'power'), { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, address, name), `${text}\n`);
  }
  const gpu = (status: string, control: string) => ({
    vendor: '0x10de',
    class: '0x030000',
    'power/runtime_status': status,
    'power/control': control,
  });

  it('are asleep when all of the vendor are', async () => {
    pci('0000:01:00.0', gpu('suspended', 'auto'));
    pci('0000:01:00.1', { vendor: '0x10de', class: '0x040300', 'power/runtime_status': 'active' });
    pci('0000:00:02.0', { vendor: '0x8086', class: '0x030000', 'power/runtime_status': 'active' });
    const watch = new LinuxSleepWatch('nvidia', folder);
    assert.deepEqual([await watch.isAsleep(), await watch.maySleep()], [true, true]);
    pci('0000:01:00.0', gpu('active', 'on'));
    assert.deepEqual([await watch.isAsleep(), await watch.maySleep()], [false, false]);
  });

  it('are awake where the system says nothing', async () => {
    const watch = new LinuxSleepWatch('nvidia', join(folder, 'none'));
    assert.deepEqual([await watch.isAsleep(), await watch.maySleep()], [false, false]);
  });
});

describe('gpu: small things', () => {
  it('adapters keep the name people know, of vendors we know', () => {
    const found = adaptersOf([
      { vendor: 'NVIDIA Corporation', model: 'GA102 [GeForce RTX 3090]', busAddress: '01:00.0' },
      undefined,
      { vendor: 'Apple', model: 'Apple M3 Max' },
      { vendor: 'Microsoft', model: 'Remote Display Adapter' },
    ]);
    assert.deepEqual(found[0], {
      name: 'GeForce RTX 3090',
      vendor: 'nvidia',
      pciBusId: '01:00.0',
      sharedMemoryMiB: null,
    });
    assert.deepEqual(
      found.map(({ vendor }) => vendor),
      ['nvidia', 'apple'],
    );
  });

  it('PCI addresses are the same however the domain is written', () => {
    assert.equal(shortBusId('00000000:0C:00.0'), '0000:0c:00.0');
    assert.ok(samePciBusId('00000008:01:00.0', '00000008:01:00.0'));
    assert.ok(!samePciBusId('00000008:01:00.0', '00000000:01:00.0'));
  });

  it('pauses grow to a minute and begin anew', () => {
    const backoff = new Backoff(2000);
    assert.deepEqual([backoff.next(), backoff.next(), backoff.next()], [2000, 4000, 8000]);
    for (let failures = 0; failures < 100; failures++) backoff.next();
    assert.equal(backoff.next(), 60_000);
    backoff.reset();
    assert.equal(backoff.next(), 2000);
  });
});

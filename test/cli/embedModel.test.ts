import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DEFAULT_MODEL } from '../../src/embed/defaultModel/facts';
import { cacheFolder } from '../../src/embed/defaultModel/place';
import { file, folder, inTemporaryFolder } from './headroom';

const CLI = resolve('dist/cli.js');
const SMALL = `${DEFAULT_MODEL.name}-${DEFAULT_MODEL.onnxSha256.slice(0, 12)}`;
const KILLS = 6;

describe('cli: the default model’s first making', function () {
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

  /** A cache that has only what is downloaded. */
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

  const bytesOf = (out: string): string =>
    readFileSync(join(folder(), out, 'shard-00000.npy')).toString('base64');

  it('is whole or not there after kill −9, leaves nothing behind, and is one for two that make it at once', async () => {
    emptyCache();
    for (let kill = 0; kill < KILLS; kill++) {
      const { child, ended } = started(`killed-${kill}`);
      // Once something of it lies there, after a while that differs from kill to kill.
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

  it('does without where the disk is full: the small form gives the same vectors', async function () {
    const disk = join(folder(), 'disk');
    mkdirSync(disk);
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=60m', 'tmpfs', disk]).status !== 0) this.skip();
    try {
      emptyCache(disk);
      emptyCache();
      const full = await started('full', disk).ended;
      const roomy = await started('roomy').ended;
      assert.deepEqual([full.code, roomy.code], [0, 0], full.err + roomy.err);
      assert.equal(bytesOf('full'), bytesOf('roomy'));
      assert.deepEqual(readdirSync(join(disk, 'models')), [SMALL]);
    } finally {
      spawnSync('umount', [disk]);
    }
  });
});

const pause = (ms: number): Promise<void> => new Promise(done => setTimeout(done, ms));

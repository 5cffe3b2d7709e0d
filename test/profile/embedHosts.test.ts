import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readManifest } from '../../src/embed/output/manifest';
import { processesWith } from '../services/processes';
import { SshBench, whyNoSshd } from '../services/ssh/sshd';
import { vectorsIn } from '../unit/embed/folders';
import { tinyTexts } from '../unit/embed/tinyModel';
import { writeTinySafetensors } from '../unit/embed/tinySafetensors';
import { toolsWithoutNode } from './python';
import { skipFor } from '../skipFor';

const CLI = resolve('dist/cli.js');
const ROWS = 203;

describe('an embedding on hosts without Node.js', function () {
  this.timeout(600_000);
  const python = process.env['HEADROOM_TEST_EMBED_PYTHON'];
  const reason = python === undefined ? 'no Python with sentence-transformers can be had' : whyNoSshd();
  let bench: SshBench;
  let work: string;

  before(async function () {
    skipFor(reason, this);
    bench = new SshBench();
    work = join(bench.folder, 'texts');
    mkdirSync(work);
    const tools = toolsWithoutNode(join(bench.folder, 'tools'));
    for (const host of ['a', 'b']) {
      const home = join(bench.folder, `home-${host}`);
      mkdirSync(home);
      await bench.serve(host, { answers: [] }, { path: tools, environment: { HOME: home } });
    }
    const lines = tinyTexts(ROWS).map((text, at) => JSON.stringify({ key: `t${at} “é”`, body: text }));
    writeFileSync(join(work, 'texts.jsonl'), `${lines.join('\n')}\n`);
  });

  after(async () => {
    if (reason !== null) return;
    await bench.end();
    assert.deepEqual(processesWith(bench.folder), []);
  });

  const common = () => [
    ...['--text-column', 'body', '--id-column', 'key', '--device', 'cpu', '--rows-per-shard', '40'],
    ...['--model', join(work, 'model'), '--python', python ?? '', '--progress', 'none'],
  ];
  const headroom = (...args: readonly string[]) =>
    spawnSync(process.execPath, [CLI, ...args], {
      encoding: 'utf8',
      env: { ...process.env, HEADROOM_STATE: join(bench.folder, 'state') },
    });

  it("runs Headroom's scripts in their Python, and matches our program with the same engine", async () => {
    writeTinySafetensors(join(work, 'model'));
    const out = join(bench.folder, 'vectors');
    const hosts = ['--hosts', 'a', 'b', '--parts', '3', '--ssh-config', bench.configFile];
    const ran = headroom('embed', join(work, 'texts.jsonl'), '--out', out, ...hosts, ...common(), '--json');
    assert.equal(ran.status, 0, ran.stderr);
    assert.match(ran.stderr, /headroom is not installed on a, b: all parts run with sentence-transformers/);
    assert.deepEqual((JSON.parse(ran.stdout) as { shape: unknown }).shape, [ROWS, 32]);
    assert.equal(existsSync(`${out}.parts`), false);

    const here = join(bench.folder, 'here');
    const one = headroom(
      'embed',
      join(work, 'texts.jsonl'),
      '--out',
      here,
      '--worker',
      'python',
      ...common(),
    );
    assert.equal(one.status, 0, one.stderr);
    const [there, ours] = [await vectorsIn(out), await vectorsIn(here)];
    assert.equal(there.length, ROWS);
    const least = Math.min(
      ...there.map((vector, i) => vector.reduce((sum, x, k) => sum + x * (ours[i]?.[k] ?? 0), 0)),
    );
    assert.ok(least > 0.99999, String(least));
    const idsIn = (folder: string): string =>
      readdirSync(folder)
        .filter(name => name.endsWith('.ids.jsonl'))
        .sort()
        .map(name => readFileSync(join(folder, name), 'utf8'))
        .join('');
    assert.equal(idsIn(out), idsIn(here));
    assert.equal((await readManifest(out))?.model.runtime, 'sentence-transformers');
    assert.equal(headroom('verify', out, '--shape', `${ROWS},32`).status, 0);
    // Copied files are removed again.
    for (const host of ['a', 'b']) {
      assert.deepEqual(broughtTo(host), []);
    }
  });

  const broughtTo = (host: string): readonly string[] =>
    readdirSync(join(bench.folder, `home-${host}/.headroom/jobs`), {
      recursive: true,
      encoding: 'utf8',
    }).filter(name => name.endsWith('part-1.json'));

  it('resumes after a kill, to the same bytes', async () => {
    const out = join(bench.folder, 'left');
    const hosts = ['--hosts', 'a', '--ssh-config', bench.configFile];
    const broken = [...common(), '--python', 'false'];
    const ran = headroom('embed', join(work, 'texts.jsonl'), '--out', out, ...hosts, ...broken);
    assert.equal(ran.status, 2, ran.stderr);
    const staged = join(bench.folder, 'home-a/.headroom/jobs');
    const [job] = broughtTo('a');
    assert.ok(job !== undefined, 'the request of a part lies on the host');
    const request = JSON.parse(readFileSync(join(staged, job), 'utf8')) as Record<string, unknown>;
    const folder = join(staged, job, '..');
    const order = (name: string): string => {
      const path = join(folder, `${name}.json`);
      writeFileSync(path, JSON.stringify({ ...request, out: name, batchRows: 1 }));
      return path;
    };
    const script = join(folder, 'python/start.py');
    const whole = spawnSync(python ?? '', [script, order('whole')], { encoding: 'utf8' });
    assert.equal(whole.status, 0, whole.stderr);
    const killed = spawn(python ?? '', [script, order('killed')], { stdio: 'ignore' });
    const journal = join(folder, 'killed/shard-00001.journal');
    await new Promise<void>(done => {
      const timer = setInterval(() => {
        if (!existsSync(journal) && killed.exitCode === null) return;
        clearInterval(timer);
        killed.once('close', () => done());
        killed.kill('SIGKILL');
      }, 1);
    });
    const before = await readManifest(join(folder, 'killed'));
    assert.equal(before?.state, 'running');
    const again = spawnSync(python ?? '', [script, order('killed')], { encoding: 'utf8' });
    assert.equal(again.status, 0, again.stderr);
    const manifest = await readManifest(join(folder, 'killed'));
    assert.deepEqual(manifest, await readManifest(join(folder, 'whole')));
    assert.equal(manifest?.state, 'complete');
    const left = readdirSync(join(folder, 'killed')).filter(
      name => !/^(manifest\.json|shard-\d+\.(npy|ids\.jsonl))$/.test(name),
    );
    assert.deepEqual(left, []);
  });

  it('refuses what only our own engine supports before copying anything', () => {
    const out = join(bench.folder, 'refused');
    const hosts = ['--hosts', 'a', 'b', '--ssh-config', bench.configFile];
    const ran = headroom(
      'embed',
      join(work, 'texts.jsonl'),
      '--out',
      out,
      ...hosts,
      ...common(),
      '--worker',
      'onnx',
    );
    assert.equal(ran.status, 3, ran.stderr);
    assert.match(ran.stderr, /--worker onnx needs headroom on every host/);
  });
});
